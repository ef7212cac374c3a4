// SPDX-License-Identifier: MIT
// Provides the search of other places for a part of a read, where the limits of seeding served all of it.
#pragma once

#include "align/omitted.hpp"

#include <cstdint>
#include <span>

namespace gannet::align {

/// Where most of a read has its place, seeds of the rest that have many entries were left out: of a repeat
/// nearly all. So the part of the read that is a supplementary alignment is looked up by itself.
class PartSearch {
  public:
    explicit PartSearch(const OmittedPositions& omitted) : omitted_(omitted) {}

    /// The best score, without gaps, of another placement of the read that overlaps `chosen` in it and
    /// matches in a seed within its aligned bases; 0 if none. What is on ALT contigs does not compete with
    /// the primary assembly, and the other way round. Of a seed with more than k_part_entries entries those
    /// count whose contexts are next to its own. Cost: for a seed every second base, up to as many
    /// comparisons with the reference.
    int32_t best_rival(uint32_t read, const Candidate& chosen) const;

  private:
    std::span<const IndexEntry> entries_of(uint32_t read, const Syncmer& seed) const;

    const OmittedPositions& omitted_;
};

}  // namespace gannet::align
