// SPDX-License-Identifier: MIT
// Provides the reads, evidence and candidates of one window, kept while its sites wait for the kernels.
#pragma once

#include "data/regions.hpp"
#include "variants/alleles/active_regions.hpp"
#include "variants/alleles/evidence.hpp"
#include "variants/alleles/extra_copy_filter.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/scorer/read_profiles.hpp"

#include <cstdint>
#include <vector>

namespace gannet::variants {

/// Reused from batch to batch. Not copied or moved: ExtraCopyFilter points into it.
struct WindowState {
    WindowState() = default;
    WindowState(const WindowState&) = delete;
    WindowState& operator=(const WindowState&) = delete;

    data::Region window;
    ReferenceSlice slice;
    ReadSet reads;
    Evidence evidence;
    std::vector<Candidate> candidates;
    std::vector<ActiveRegion> regions;
    ExtraCopyFilter extra_copy;
    // For examples only.
    std::vector<int32_t> unused_depth;  ///< of reads that MappingFilter left out, over the evidence's range
    ReadProfiles profiles;
};

}  // namespace gannet::variants
