// SPDX-License-Identifier: MIT
// Provides what goes between the host's side of the device schedule of the op pairing and its warps: plain
// arrays, and the memory of a warp.
#pragma once

#include "kernels/pairing/pairing_cell.hpp"
#include "kernels/pairing/pairing_tuning.hpp"
#include "kernels/warp.hpp"

#include <cstdint>

namespace gannet::kernels::pairing {

/// What all warps see. `placed`: one of each read.
struct PairingArrays {
    Given given;
    uint32_t reads = 0;
    PlacedRead* placed = nullptr;

    constexpr uint32_t templates() const { return given.reads.paired ? reads / 2 : reads; }
};

/// The memory of a warp: totals of a template for each lane, or of one that the warp does.
struct WarpShared {
    int32_t totals[2 * k_lane_candidates * k_warp_lanes];
    ReadChoice a;  ///< of the template that the warp does, each read's best by itself
    ReadChoice b;
    BestPair best[k_warp_lanes];  ///< that each lane has found
};
static_assert(2 * k_lane_candidates * k_warp_lanes >= 2 * k_max_candidates);

/// Totals of a lane's template, those of all lanes side by side.
struct LaneTotals {
    int32_t* values;
    uint32_t lane;

    constexpr int32_t& at(uint32_t side, uint32_t index) const {
        return values[(side * k_lane_candidates + index) * k_warp_lanes + lane];
    }
};

/// Of a template that a warp does.
struct WarpTotals {
    int32_t* values;

    constexpr int32_t& at(uint32_t side, uint32_t index) const {
        return values[side * k_max_candidates + index];
    }
};

}  // namespace gannet::kernels::pairing
