// SPDX-License-Identifier: MIT
// Provides reading of single-sample gVCFs (bgzipped VCF, BCF) that may be left and taken up again, so that
// there can be more of them than files may be open.
#pragma once

#include "data/gvcf_record.hpp"
#include "data/reference.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace gannet::data::vcf {

/// The records of one gVCF in file order, as gannet, GATK and DeepVariant write them (VCF 4.3, section 5.5;
/// `<NON_REF>` as `<*>`). A block without PL whose genotype is the reference's has 0, GQ, GQ. Needs about
/// 200 kB while the file is open.
///
/// Throws Error(malformed_input) naming file and record: no BGZF, a missing end-of-file marker, a damaged
/// block, a record that is not VCF, a PL or AD of another length than the alleles demand, records that are
/// not sorted; Error(reference_mismatch): a contig that the reference lacks or has with another length, a REF
/// that is not the reference's; Error(usage): a file of several samples, or of none.
class GvcfReader {
  public:
    GvcfReader(const std::string& path, const Reference& reference);
    ~GvcfReader();
    GvcfReader(GvcfReader&&) noexcept;

    const std::string& path() const;
    const std::string& sample() const;
    /// What its header says of gannet's model (`##gannet_caller_model`); empty where another caller made it.
    const std::string& caller_model() const;
    /// Goes to the first record that overlaps contig bases [begin, end), by the index beside the file;
    /// records before it may follow. Without an index it stays where it is and returns false.
    bool seek(uint32_t contig, int64_t begin, int64_t end);
    bool read(GvcfRecord& record);
    /// Closes the file until the next read.
    void suspend();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gannet::data::vcf
