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
    /// The same, and into `before`, memory of the warp, for each lane the sum over those before it.
    template <class Phase>
    uint32_t sum(const Phase& phase, uint32_t* before) const {
        uint32_t value[k_warp_lanes];
        for (uint32_t lane = k_warp_lanes; lane-- > 0;) value[lane] = phase(lane);
        uint32_t total = 0;
        for (uint32_t lane = 0; lane < k_warp_lanes; total += value[lane++]) before[lane] = total;
        return total;
    }
    // Of any lanes in a phase, on words that no lane reads in it:
    static void add(uint32_t* word, uint32_t count) { *word += count; }
    static void raise(uint32_t* word, uint32_t value) { *word = *word < value ? value : *word; }
    static void set_bits(uint32_t* word, uint32_t bits) { *word |= bits; }
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
