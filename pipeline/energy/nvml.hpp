// SPDX-License-Identifier: MIT
// Provides what the driver's library of management (NVML) says of a device: its link to the host and the
// energy that it has used.
//
// The library is a part of the driver, so it is loaded when it is first asked and may be missing. Functions
// and values are those of NVIDIA's NVML API reference; nothing of the toolkit is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gannet::pipeline {

class Nvml {
  public:
    /// Of the process; loads the library at the first call. Safe from several threads.
    static const Nvml& instance();
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    /// Empty where the library answers, else one line: why it does not.
    const std::string& fault() const { return fault_; }

    /// The PCIe link: what is used now (less while the device is idle) and the most that device and slot can.
    struct Link {
        unsigned generation = 0;
        unsigned max_generation = 0;
        unsigned width = 0;
        unsigned max_width = 0;
    };
    /// `uuid` as DeviceInfo has it. Empty where the device is not known to NVML (a MIG instance) or has none.
    std::optional<Link> link(const std::string& uuid) const;
    /// Joules since the driver was loaded, of the whole device; since Volta.
    std::optional<double> joules(const std::string& uuid) const;

  private:
    Nvml();
    struct Functions;

    void* library_ = nullptr;
    Functions* functions_ = nullptr;
    std::string fault_;
};

}  // namespace gannet::pipeline
