// SPDX-License-Identifier: MIT
// Provides what is known of one window while its candidates wait for the kernels.
#pragma once

#include "variants/active_regions.hpp"
#include "variants/evidence.hpp"
#include "variants/filters.hpp"
#include "variants/read_profiles.hpp"
#include "variants/read_set.hpp"

#include <cstdint>
#include <vector>

namespace gannet::variants {

/// Reused from batch to batch; stays where it is (ExtraCopyFilter points into it).
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
    std::vector<int32_t>
        unused_depth;  ///< of reads below the least mapping quality, over the evidence's range
    ReadProfiles profiles;
};

}  // namespace gannet::variants
