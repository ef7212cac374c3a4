// SPDX-License-Identifier: MIT
// Provides the devices of this machine as the other wrappers see them: which are fit, and the memory of each.
#pragma once

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/memory_budget.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace gannet::kernels::cuda {

/// A fit device in use.
struct Device {
    DeviceInfo info;
    MemoryBudget budget;

    Device(DeviceInfo device, uint64_t memory_bytes);
    int capability() const { return info.capability_major * 10 + info.capability_minor; }
    /// Makes it the calling thread's device; every function that calls CUDA begins so.
    void select() const;
};

/// What the driver reports, determined once.
struct Survey {
    std::vector<DeviceInfo> devices;
    DeviceStatus status;
};
const Survey& survey();

/// What limit_memory() said.
std::atomic<uint64_t>& memory_limit();

/// The fit devices in turn. The first call makes them, and a CUDA context on each that is used. Throws
/// DeviceUnfit where there is none. The device lives as long as the process.
Device& next_device();

}  // namespace gannet::kernels::cuda
