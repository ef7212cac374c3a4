// SPDX-License-Identifier: MIT
// Provides the regions in which candidates are judged together.
#pragma once

#include "variants/evidence.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// Candidates [first, last) of the window's list, and the bases [begin, end) that they may change.
struct ActiveRegion {
    int64_t begin = 0;
    int64_t end = 0;
    uint32_t first = 0;
    uint32_t last = 0;
    bool is_simple = false;       ///< a few SNPs with nothing else near: the pile-up decides
    bool needs_assembly = false;  ///< clipped reads: alignments do not show the alleles
};

/// Groups candidates (sorted by begin) that are too near to be told apart by the pile-up. Where a group goes
/// on and on, it is cut at fixed places of the contig, so that every window that sees a region sees the same
/// one.
void find_active_regions(std::span<const Candidate> candidates, std::vector<ActiveRegion>& regions);

}  // namespace gannet::variants
