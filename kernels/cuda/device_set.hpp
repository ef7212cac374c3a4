// SPDX-License-Identifier: MIT
// Provides the devices of this machine as the other wrappers see them: which are fit, and the memory of each.
#pragma once

#include "kernels/cuda/arena.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/memory_budget.hpp"
#include "kernels/cuda/pinned_memory.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace gannet::kernels::cuda {

/// Memory of the calling thread's device.
class DeviceMemory final : public MemorySource {
  public:
    void* allocate(uint64_t bytes) override;
    void free(void* memory) noexcept override;
};

/// A fit device in use.
struct Device {
    DeviceInfo info;
    DeviceMemory memory;
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
    std::string versions;  ///< of driver and runtime
};
const Survey& survey();

/// As kernels::cuda::set_environment().
void ask_for_connections();

/// What limit_memory() said.
std::atomic<uint64_t>& memory_limit();

/// Bytes of a device that are free now; makes a CUDA context on it.
uint64_t free_memory(const DeviceInfo& device);

/// What use_devices() chose; empty: all that are fit.
std::vector<DeviceInfo>& chosen_devices();

/// The chosen devices in turn. The first call makes them, and a CUDA context on each that is used. Throws
/// DeviceUnfit where there is none. The device lives as long as the process.
Device& next_device();
/// All that are used, made as by next_device().
std::vector<Device*> all_devices();
/// Those that have been made; none before its first call.
std::vector<const Device*> devices_made();

}  // namespace gannet::kernels::cuda
