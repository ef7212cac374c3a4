// SPDX-License-Identifier: MIT
// Provides active regions: groups of candidates that are genotyped together.
#pragma once

#include "variants/evidence/evidence.hpp"

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
    bool is_simple = false;  ///< a few SNVs with no gap nearby: genotyped from the pile-up
    /// More candidates than a simple one has, or clipped reads: neither the alignments nor the reads that
    /// span the region may show its haplotypes.
    bool needs_assembly = false;
    bool is_clipped = false;  ///< alignments end here, and the alleles may be outside of the region
};

/// Groups candidates (sorted by begin) that are too close to be genotyped separately. Long groups are cut at
/// fixed positions of the contig, so that all windows that overlap a region have the same one. A read with a
/// gap beside an SNV may have the gap instead of the SNV: where such a read does not show the SNV, the region
/// is not simple, though so few reads may have the gap that it is no candidate.
void find_active_regions(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
                         std::span<const Candidate> candidates, std::vector<ActiveRegion>& regions);

}  // namespace gannet::variants
