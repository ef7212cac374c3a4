// SPDX-License-Identifier: MIT
// Provides the columns of a gVCF's line as a record, checked against the reference.
#pragma once

#include "data/gvcf_record.hpp"
#include "data/reference.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::data::vcf {

/// One object per file: it remembers the contig and the layout of FORMAT of the line before.
class GvcfLineParser {
  public:
    GvcfLineParser(std::string path, const Reference& reference)
        : path_(std::move(path)), reference_(reference) {}
    /// `line` has no newline; `record.number` is set and names the record in messages. Throws as GvcfReader.
    void parse(std::string_view line, GvcfRecord& record);
    /// "PATH: record 12: cause", or after a jump, where no number is known, "PATH: a record: cause".
    [[noreturn]] void refuse(uint64_t number, const std::string& cause) const;

  private:
    enum class Field { other, genotype, quality, depth, minimum_depth, depths, phred, phase, phase_set };

    int64_t integer(std::string_view text, const GvcfRecord& record, const char* what) const;
    void read_contig(std::string_view name, const GvcfRecord& record);
    void read_alleles(std::string_view ref, std::string_view alts, GvcfRecord& record) const;
    void check_reference(const GvcfRecord& record) const;
    void read_end(std::string_view info, GvcfRecord& record) const;
    void read_layout(std::string_view format);
    void read_sample(std::string_view text, GvcfRecord& record) const;
    bool read_genotype(std::string_view text, GvcfRecord& record) const;
    void read_list(std::string_view text, std::vector<int32_t>& values, const GvcfRecord& record,
                   const char* what) const;
    void complete(GvcfRecord& record) const;

    std::string path_;
    const Reference& reference_;
    std::string contig_name_;
    uint32_t contig_ = 0;
    std::string format_;
    std::vector<Field> layout_;
};

}  // namespace gannet::data::vcf
