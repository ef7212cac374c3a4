// SPDX-License-Identifier: MIT
// Provides the counted memory of a device: what does not fit is refused here, before CUDA is called.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace gannet::kernels::cuda {

/// The device memory that all streams of a device take from. Thread-safe.
class MemoryBudget {
  public:
    /// `owner` names the device in messages.
    MemoryBudget(uint64_t total_bytes, std::string owner)
        : total_bytes_(total_bytes), owner_(std::move(owner)) {}
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    uint64_t total_bytes() const { return total_bytes_; }
    uint64_t used_bytes() const;

    /// Takes `bytes`, or throws DeviceOutOfMemory and takes nothing; `what` says in the message what for.
    void take(uint64_t bytes, const char* what);
    /// Takes `wanted` or half of what is left, whichever is less, but at least `least`: a user that can do
    /// with less leaves room for others. Returns what it took; throws DeviceOutOfMemory where `least` does
    /// not fit.
    uint64_t take_some(uint64_t least, uint64_t wanted, const char* what);
    void give_back(uint64_t bytes) noexcept;

  private:
    [[noreturn]] void refuse(uint64_t bytes, const char* what) const;

    const uint64_t total_bytes_;
    const std::string owner_;
    mutable std::mutex mutex_;
    uint64_t used_bytes_ = 0;
};

/// Bytes of a device that gannet may take: nine tenths of what is free, and no more than `limit` where that
/// is not 0.
uint64_t usable_memory(uint64_t free_bytes, uint64_t limit);

/// What is allocated for a buffer of `bytes`: up to an eighth more, so that a buffer that grows with its
/// batches is seldom allocated again.
uint64_t rounded_bytes(uint64_t bytes);

}  // namespace gannet::kernels::cuda
