// SPDX-License-Identifier: MIT
// Provides the number of lanes of a warp, and the warp on which the backend `emulated` runs a device
// schedule.
#pragma once

#include <cstdint>

namespace gannet::kernels {

inline constexpr uint32_t k_warp_lanes = 32;

/// The lanes of a phase run one after another, the last first: a lane that reads what another one makes in
/// the same phase is noticed by the parity suite. kernels/cuda/warp.hpp is the same on a device.
class HostWarp {
  public:
    template <class Phase>
    void each(const Phase& phase) const {
        for (uint32_t lane = k_warp_lanes; lane-- > 0;) phase(lane);
    }
    /// A bit of each lane.
    template <class Phase>
    uint32_t ballot(const Phase& phase) const {
        uint32_t bits = 0;
        for (uint32_t lane = k_warp_lanes; lane-- > 0;) bits |= uint32_t{phase(lane)} << lane;
        return bits;
    }
    template <class Phase>
    uint32_t sum(const Phase& phase) const {
        uint32_t total = 0;
        for (uint32_t lane = k_warp_lanes; lane-- > 0;) total += phase(lane);
        return total;
    }
    /// Of one lane in a phase: adds to a counter that all warps share, and gives what it was.
    static uint64_t claim(unsigned long long* counter, uint32_t count) {
        const uint64_t before = *counter;
        *counter += count;
        return before;
    }
    /// The same of the whole warp, between phases: adds `count` once.
    static uint64_t take(unsigned long long* counter, uint32_t count) { return claim(counter, count); }
};

}  // namespace gannet::kernels
