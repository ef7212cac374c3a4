// SPDX-License-Identifier: MIT
// Provides memory of the host that devices copy to and from without the driver's own staging.
#pragma once

#include "kernels/cuda/arena.hpp"
#include "kernels/cuda/host_pages.hpp"
#include "kernels/cuda/memory_budget.hpp"

#include <atomic>
#include <map>
#include <mutex>

namespace gannet::kernels::cuda {

/// Pages of our own that are registered with the driver. Where it refuses one (an old driver, a limit on
/// locked memory), this and all that follow are the driver's, as where the system has no memory to map.
class PinnedMemory final : public MemorySource {
  public:
    void* allocate(uint64_t bytes) override;
    void free(void* memory) noexcept override;

    /// False once the driver has refused.
    bool registers() const { return registers_; }

  private:
    /// nullptr: not so.
    void* allocate_registered(uint64_t bytes);

    std::atomic<bool> registers_{true};
    std::mutex mutex_;
    std::map<const void*, HostPages> registered_;
};

/// The pinned memory of all streams of the process: counted, and limited by the driver only, since the memory
/// plan of a run has room for the size that its streams are made with.
struct CountedPinnedMemory {
    PinnedMemory source;
    MemoryBudget budget;
};
CountedPinnedMemory& pinned_memory();

}  // namespace gannet::kernels::cuda
