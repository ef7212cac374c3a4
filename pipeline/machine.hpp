// SPDX-License-Identifier: MIT
// Provides the description of the machine, for the log and for reports.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gannet::pipeline {

struct Machine {
    std::string cpu;       ///< model name
    int cores = 0;         ///< logical CPUs that are online
    int usable_cores = 0;  ///< of these, what CPU affinity and control group allow
    std::string simd;      ///< highest level
    uint64_t memory_bytes = 0;
    std::string kernel;
    std::string host;                  ///< its name
    std::vector<std::string> devices;  ///< fit CUDA devices with their memory
    std::array<double, 3> load{};      ///< average load of 1, 5 and 15 minutes, when this was asked
};

Machine this_machine();

/// "16 CPU cores (avx512), 62.8 GB of memory, NVIDIA H200 (141.0 GB)": what a run can use.
std::string machine_text(const Machine& machine);

}  // namespace gannet::pipeline
