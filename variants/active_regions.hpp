// SPDX-License-Identifier: MIT
// Provides active regions: groups of candidates that are genotyped together.
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
    bool is_simple = false;       ///< a few SNVs with nothing else nearby: genotyped from the pile-up
    bool needs_assembly = false;  ///< has clipped reads: alignments may not show the alleles
};

/// Groups candidates (sorted by begin) that are too close to be genotyped separately. Long groups are cut at
/// fixed positions of the contig, so that all windows that overlap a region have the same one.
void find_active_regions(std::span<const Candidate> candidates, std::vector<ActiveRegion>& regions);

}  // namespace gannet::variants
