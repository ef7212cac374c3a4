// SPDX-License-Identifier: MIT
// Provides the number of lanes of a warp, and the warp on which the backend `emulated` runs a device
// schedule.
#pragma once

#include <cstdint>

namespace gannet::kernels {

inline constexpr uint32_t k_warp_lanes = 32;

/// The lanes of a phase run one after another, in every second warp the last first: a lane that reads what
/// another one makes in the same phase is noticed by the parity suite, whose jobs come to both. What lies
/// between phases runs once, where a device's lanes each do it. kernels/cuda/warp.hpp is the same on a
/// device.
class HostWarp {
  public:
    /// `number`: of the warp, among those of a launch.
    explicit HostWarp(uint32_t number) : turn_(number % 2 == 0 ? k_warp_lanes - 1 : 0) {}

    template <class Phase>
    void each(const Phase& phase) const {
        for (uint32_t k = 0; k < k_warp_lanes; ++k) phase(k ^ turn_);
    }
    /// A bit of each lane.
    template <class Phase>
    uint32_t ballot(const Phase& phase) const {
        uint32_t bits = 0;
        each([&](uint32_t lane) { bits |= uint32_t{phase(lane)} << lane; });
        return bits;
    }
    template <class Phase>
    uint32_t sum(const Phase& phase) const {
        uint32_t total = 0;
        each([&](uint32_t lane) { total += phase(lane); });
        return total;
    }
    /// The same, and into `before`, memory of the warp, for each lane the sum over those before it.
    template <class Phase>
    uint32_t sum(const Phase& phase, uint32_t* before) const {
        uint32_t value[k_warp_lanes];
        each([&](uint32_t lane) { value[lane] = phase(lane); });
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

  private:
    uint32_t turn_;  ///< of the bits of a lane's number
};

}  // namespace gannet::kernels
