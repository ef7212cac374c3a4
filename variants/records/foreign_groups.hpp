// SPDX-License-Identifier: MIT
// Provides the filter of linked SNVs whose reads together are more probably of a copy that the reference
// lacks.
#pragma once

#include "variants/records/called_record.hpp"
#include "variants/records/phase.hpp"
#include "variants/records/record.hpp"
#include "variants/sample/foreign_reads.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gannet::variants {

/// Reads of a copy that the reference lacks have several alternate bases each, so what is too little at one
/// site (foreign_reads_odds) may be enough for all that the same fragments have. A group is of heterozygous
/// SNVs that pass all filters, are phased with each other, have their alternate bases on the same haplotype,
/// and follow one another within the length of a read. Every fragment counts once, for the base that its
/// observations together make more probable.
class ForeignGroups {
  public:
    /// Sets AlleleBias in the records of groups of two sites or more that are more probably foreign.
    /// `phased`: the records that `phases` is of, both in the order of positions. Returns whether any was
    /// set. Cost: the fragments of the groups are sorted.
    bool filter(const CallModel& model, std::span<CalledRecord> records, std::span<const size_t> phased,
                std::span<const Phaser::Phase> phases);

  private:
    struct Member {
        size_t record = 0;
        uint8_t reference = 0, alternate = 0;  ///< as CalledRecord::seen names them
        int64_t set = -1;
        bool is_second = false;  ///< haplotype of the alternate base
    };

    bool is_foreign(const CallModel& model, std::span<const CalledRecord> records,
                    std::span<const Member> group);

    std::vector<Member> members_;
    std::vector<std::pair<uint64_t, int32_t>> votes_;  // fragment, Phred for the alternate base
};

}  // namespace gannet::variants
