// SPDX-License-Identifier: MIT
// Provides the scale of an aligner's mapping qualities, the usual length of the reads, and whether their
// pairs are proper: what the numbers of the caller mean in the alignments of another program.
#pragma once

#include "data/record.hpp"
#include "variants/model/records.hpp"
#include "variants/model/sample.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gannet::variants {

/// Brings mapping qualities to the scale that the caller's numbers are for, 0 to 60, which is gannet's, bwa's
/// and minimap2's. Aligners agree on the order of their reads, not on the number of the best: Bowtie2 gives
/// 42, bwa's `aln` 37, others 250 or 255. Lower ceilings are stretched; of higher ones what is beyond 60 is
/// 60, as an error probability of 1e-6 is as good as any lower one.
class MappingScale {
  public:
    static constexpr int32_t k_ceiling = sample_number("mapping_ceiling");

    MappingScale() : MappingScale(k_ceiling) {}
    /// `ceiling`: the highest quality that the aligner gives, 1 to 255.
    explicit MappingScale(int32_t ceiling);
    /// From 0 to k_ceiling; equal to `reported` up to there unless the ceiling is lower.
    uint8_t of(uint8_t reported) const { return table_[reported]; }
    uint8_t of(const data::RecordView& record) const { return table_[record.mapping_quality()]; }
    int32_t ceiling() const { return ceiling_; }

  private:
    int32_t ceiling_;
    std::array<uint8_t, 256> table_{};
};

/// Mapping qualities, lengths and pairs of primary records, neither duplicates nor failed, and what follows
/// of them.
class ReadCounts {
  public:
    void count(const data::RecordView& record) {
        ++qualities_[record.mapping_quality()];
        ++lengths_[std::min<size_t>(record.read_length(), lengths_.size() - 1)];
        paired_ += record.has(data::k_flag_paired) ? 1 : 0;
        proper_ += record.has(data::k_flag_proper_pair) ? 1 : 0;
    }
    void add(const ReadCounts& other);
    bool operator==(const ReadCounts&) const = default;

    uint64_t reads() const;
    /// The scale whose ceiling is the highest mapping quality. It is the usual one below
    /// mapping_ceiling_min_reads reads, where the highest is below mapping_lowest_ceiling, and where less
    /// than one in mapping_ceiling_part reads has it: then it is no ceiling but the best of doubtful reads.
    MappingScale scale() const;
    /// Median length; allele_bias_read_bp where there is no read.
    int32_t usual_read_bp() const;
    /// Whether most reads have mates, but not in proper pairs: mate pairs, whose reads face away from each
    /// other, or an aligner that does not set the flag.
    bool has_improper_pairs() const { return 2 * paired_ > reads() && 2 * proper_ < paired_; }

  private:
    std::array<uint64_t, 256> qualities_{};
    std::array<uint64_t, sample_number("profile_max_read_bp") + 1> lengths_{};  ///< the last: and longer
    uint64_t paired_ = 0;
    uint64_t proper_ = 0;
};

/// "mapping qualities up to 42, used as up to 60".
std::string to_text(const MappingScale& scale);

}  // namespace gannet::variants
