// SPDX-License-Identifier: MIT
// Provides the energy that the processors of the host have used (RAPL: running average power limit), as Linux
// has it in its folder of power caps (Documentation/power/powercap/powercap.rst of the kernel).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gannet::pipeline {

/// Counters of the packages, each a processor with its caches, and of the memory at them where the machine
/// counts it. They count whatever the machine does, not this process alone.
class Rapl {
  public:
    explicit Rapl(const std::string& folder = "/sys/class/powercap");

    /// Empty where there are counters, else one line: why there are none.
    const std::string& fault() const { return fault_; }
    /// "package-0, package-1".
    const std::string& zones() const { return names_; }
    /// Joules since this object was made. A counter begins anew after some minutes of a busy processor
    /// (2^32 microjoules or a few hundred kJ): to be called at least once a minute.
    double joules();

  private:
    struct Zone {
        std::string path;  ///< of its counter
        uint64_t range_microjoules = 0;
        uint64_t last = 0;
    };
    std::vector<Zone> zones_;
    std::string names_;
    std::string fault_;
    double microjoules_ = 0;
};

}  // namespace gannet::pipeline
