// SPDX-License-Identifier: MIT
// Provides counted memory of a device or of the host: the arena that the ops of a stream use one after the
// other, and blocks of a size that is known.
//
// A stream has two arenas: one of the device, one of pinned memory of the host. There is no CUDA in here, so
// that tests can be the source of the memory.
#pragma once

#include "kernels/cuda/memory_budget.hpp"

#include <atomic>
#include <cstdint>

namespace gannet::kernels::cuda {

/// Where the memory of arenas comes from.
class MemorySource {
  public:
    virtual ~MemorySource() = default;
    /// nullptr where there is not so much; throws what else goes wrong.
    virtual void* allocate(uint64_t bytes) = 0;
    virtual void free(void* memory) noexcept = 0;

    uint64_t growths() const { return growths_; }

  private:
    friend class Arena;
    /// How often an arena had to be made larger after its first batch.
    std::atomic<uint64_t> growths_{0};
};

/// A block of `bytes` at `source`, counted by `budget`, both of which must outlive it. Throws
/// DeviceOutOfMemory, which says `what` it is for, where either has not so much.
class CountedBlock {
  public:
    CountedBlock(MemorySource& source, MemoryBudget& budget, uint64_t bytes, const char* what);
    ~CountedBlock();
    CountedBlock(const CountedBlock&) = delete;
    CountedBlock& operator=(const CountedBlock&) = delete;

    void* data() const { return memory_; }

  private:
    MemorySource& source_;
    MemoryBudget& budget_;
    const uint64_t bytes_;
    void* memory_ = nullptr;
};

/// Not thread-safe. Nothing may be under way in it when it grows.
class Arena {
  public:
    Arena(MemorySource& source, MemoryBudget& budget) : source_(source), share_(budget) {}
    ~Arena() { release(); }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// Takes `bytes` once, or what the share and the source can spare of them, at least one step of
    /// k_min_bytes: later, only a batch that cannot do with that makes it grow. 0: nothing. Throws as
    /// reserve().
    void start(uint64_t bytes, const char* what);
    /// Holds at least `least` bytes afterwards, and `wanted` where they can be had (less than `least` by an
    /// op without jobs, which would give none of its warps scratch). What was in it is lost when it grows. An
    /// arena that has been started, or that could not have all once, stays as it is until `least` needs more.
    /// Where the source has not what the budget granted, it is asked again for half as much, down to `least`.
    /// Throws DeviceOutOfMemory; the arena is empty then.
    void reserve(uint64_t least, uint64_t wanted, const char* what);

    uint8_t* data() const { return static_cast<uint8_t*>(memory_); }
    uint64_t bytes() const { return bytes_; }
    /// How many blocks it has had: what was in one is lost with it.
    uint64_t blocks_taken() const { return blocks_taken_; }

    static constexpr uint64_t k_min_bytes = uint64_t{1} << 16;

  private:
    void allocate(uint64_t least, uint64_t wanted, const char* what);
    void release() noexcept;

    MemorySource& source_;
    MemoryShare share_;
    void* memory_ = nullptr;
    uint64_t bytes_ = 0;
    uint64_t blocks_taken_ = 0;
    bool is_settled_ = false;  ///< grows for `least` only
};

}  // namespace gannet::kernels::cuda
