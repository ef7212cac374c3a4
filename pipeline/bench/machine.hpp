// SPDX-License-Identifier: MIT
// Provides what a benchmark says of the machine that it ran on.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace gannet::pipeline::bench {

struct Machine {
    std::string cpu;       ///< model name
    int cores = 0;         ///< logical CPUs that are online
    int usable_cores = 0;  ///< of them those that affinity and control group leave
    std::string simd;      ///< highest level
    uint64_t memory_bytes = 0;
    std::string kernel;
    std::array<double, 3> load{};  ///< average load of 1, 5 and 15 minutes, when this was asked
};

Machine this_machine();

}  // namespace gannet::pipeline::bench
