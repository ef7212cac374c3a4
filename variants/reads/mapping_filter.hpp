// SPDX-License-Identifier: MIT
// Provides the choice of the reads that count in a window, by their mapping quality.
#pragma once

#include "data/record.hpp"
#include "variants/sample/mapping_scale.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// A read with an allele that the reference lacks has a mismatch more than the others, and so a lower mapping
/// quality: where another copy of the sequence differs by one base, reads of the reference's allele have some
/// 24, those of the sample's 14 to 19, and a threshold of 20 takes this allele away. So a read of lower
/// mapping quality counts too, unless most reads of the place fit another as well: where more than half of
/// the depth along it is of reads of `doubtful` or more. How much it counts follows from its mapping quality.
class MappingFilter {
  public:
    /// Keeps reads of mapping quality `minimum` and more, and no others.
    explicit MappingFilter(int32_t minimum = 0) : minimum_(minimum), doubtful_(minimum) {}

    /// For the records of a window, whose qualities are those of `scale`, in any order, over [begin, end) of
    /// its contig: keeps reads of mapping quality `minimum` (0-60) and more, and those of `doubtful` and more
    /// along which more than half of the depth is of such reads. Supplementary records do not count. Linear
    /// in the records and in end - begin.
    void load(std::span<const data::RecordView> records, const MappingScale& scale, int32_t minimum,
              int32_t doubtful, int64_t begin, int64_t end);

    bool keeps(const data::RecordView& record) const;
    /// On the caller's scale.
    uint8_t quality_of(const data::RecordView& record) const { return scale_.of(record); }

  private:
    /// Of the records over a base, and of those before it together once they are summed up.
    struct Depth {
        int64_t all = 0;
        int64_t lower = 0;  ///< with a mapping quality below `doubtful`
    };

    MappingScale scale_;
    int32_t minimum_;
    int32_t doubtful_;
    int64_t begin_ = 0;
    int64_t end_ = 0;
    std::vector<Depth>
        before_;  ///< [i]: bases of records in [begin_, begin_ + i); empty where no read needs it
};

}  // namespace gannet::variants
