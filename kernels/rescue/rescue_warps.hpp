// SPDX-License-Identifier: MIT
// Provides what goes between the host's side of the device schedule of the op rescue and its warps: plain
// arrays, and the memory of a warp.
#pragma once

#include "kernels/candidates/candidates_warps.hpp"
#include "kernels/rescue/rescue.hpp"

#include <cstdint>

namespace gannet::kernels::rescue {

/// What all warps see. A window whose read is too long for a warp is left to the host.
struct RescueArrays {
    CandidateParameters parameters;
    GenomeView genome;
    ReadBatchView reads;
    const RescueWindow* windows = nullptr;
    uint32_t count = 0;
    int64_t* diagonals = nullptr;     ///< of each window: what its search found; -1: nothing
    Candidate* candidates = nullptr;  ///< of each window; without an anchor where there is none
};

/// The memory of a warp that searches: what each lane found.
struct SearchShared {
    int64_t diagonal[k_warp_lanes];
    uint32_t value[k_warp_lanes];
};

/// Of a warp that compares, a window per lane.
using CompareShared = candidates::LaneWords;

}  // namespace gannet::kernels::rescue
