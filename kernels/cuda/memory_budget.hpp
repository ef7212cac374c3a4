// SPDX-License-Identifier: MIT
// Provides the counted memory of a device, or of one kind of the host's: what does not fit is refused here,
// before CUDA is called, and what there is is shared by the streams.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace gannet::kernels::cuda {

/// The memory that all streams of a device take from. Thread-safe.
class MemoryBudget {
  public:
    /// `owner` names the device in messages, `kind` the memory; `advice` says what helps.
    MemoryBudget(uint64_t total_bytes, std::string owner, const char* kind = "device memory",
                 const char* advice = "give more to --gpu-memory, use fewer --threads, or --backend simd")
        : total_bytes_(total_bytes), owner_(std::move(owner)), kind_(kind), advice_(advice) {}
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    uint64_t total_bytes() const { return total_bytes_; }
    uint64_t used_bytes() const;
    uint64_t most_used_bytes() const;    ///< at any time so far
    uint64_t most_common_bytes() const;  ///< of take(), at any time so far

    /// Takes `bytes` for all, or throws DeviceOutOfMemory and takes nothing; `what` says in the message what
    /// for. Shares divide what is left of these.
    void take(uint64_t bytes, const char* what);
    void give_back(uint64_t bytes) noexcept;
    /// Throws DeviceOutOfMemory: the driver does not have `bytes` that the budget has.
    [[noreturn]] void report_missing(uint64_t bytes, const char* what) const;

  private:
    friend class MemoryShare;

    uint64_t left() const { return total_bytes_ - used_bytes_; }
    void add(uint64_t bytes);
    [[noreturn]] void refuse(uint64_t bytes, const char* what) const;

    const uint64_t total_bytes_;
    const std::string owner_;
    const char* const kind_;
    const char* const advice_;
    mutable std::mutex mutex_;
    uint64_t used_bytes_ = 0;
    uint64_t most_used_bytes_ = 0;
    uint64_t common_bytes_ = 0;  ///< of take()
    uint64_t most_common_bytes_ = 0;
    uint64_t shares_ = 0;
};

/// A stream's part of a budget: it is known to the budget from the beginning, so that what all streams may
/// take beyond their need is divided evenly, however early or late each of them asks. Returns what it holds
/// when it ends.
class MemoryShare {
  public:
    explicit MemoryShare(MemoryBudget& budget);
    ~MemoryShare();
    MemoryShare(const MemoryShare&) = delete;
    MemoryShare& operator=(const MemoryShare&) = delete;

    /// Takes `wanted` bytes, but no more than lets the share hold its part of what take() has left, and at
    /// least `least`. Returns what it took; throws DeviceOutOfMemory where `least` does not fit.
    uint64_t take_some(uint64_t least, uint64_t wanted, const char* what);
    void give_back(uint64_t bytes) noexcept;
    uint64_t held_bytes() const { return held_bytes_; }
    MemoryBudget& budget() const { return budget_; }

  private:
    MemoryBudget& budget_;
    uint64_t held_bytes_ = 0;
};

/// Bytes of a device that gannet may take: nine tenths of what is free, and no more than `limit` where that
/// is not 0.
uint64_t usable_memory(uint64_t free_bytes, uint64_t limit);

/// What is allocated for a buffer of `bytes`: up to an eighth more, so that a buffer that grows with its
/// batches is seldom allocated again.
uint64_t rounded_bytes(uint64_t bytes);

}  // namespace gannet::kernels::cuda
