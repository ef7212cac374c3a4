// SPDX-License-Identifier: MIT
// Provides memory of the device and pinned memory of the host, which grow and are used again.
//
// A buffer is made anew when it must grow, so that nothing may be under way in it then: grow it before the
// first thing of a batch is enqueued.
#pragma once

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/memory_budget.hpp"

#include <cstddef>
#include <utility>

namespace gannet::kernels::cuda {

/// Device memory, counted by the device's budget. Contents are lost when it grows.
class DeviceBuffer {
  public:
    explicit DeviceBuffer(MemoryBudget& budget) : budget_(&budget) {}
    ~DeviceBuffer() { free(); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    /// At least `bytes`. Throws DeviceOutOfMemory; the buffer is empty then.
    void reserve(size_t bytes, const char* what) {
        if (bytes <= bytes_) return;
        free();
        const size_t rounded = rounded_bytes(bytes);
        budget_->take(rounded, what);
        allocate(rounded, what);
    }
    /// As much of `wanted` bytes as the budget can spare, at least `least`. Once it could not have all, it
    /// stays as it is until `least` needs more.
    void reserve_some(size_t least, size_t wanted, const char* what) {
        if (wanted <= bytes_ || (least <= bytes_ && is_limited_)) return;
        free();
        const size_t rounded = rounded_bytes(wanted);
        const size_t granted = budget_->take_some(least, rounded, what);
        is_limited_ = granted < rounded;
        allocate(granted, what);
    }

    size_t bytes() const { return bytes_; }
    template <class T>
    T* data() const {
        return static_cast<T*>(memory_);
    }

  private:
    void allocate(size_t bytes, const char* what) {
        if (const cudaError_t error = cudaMalloc(&memory_, bytes); error != cudaSuccess) {
            memory_ = nullptr;
            budget_->give_back(bytes);
            check(error, what);
        }
        bytes_ = bytes;
    }
    void free() noexcept {
        if (memory_ == nullptr) return;
        ignore(cudaFree(std::exchange(memory_, nullptr)));
        budget_->give_back(std::exchange(bytes_, 0));
    }

    MemoryBudget* budget_;
    void* memory_ = nullptr;
    size_t bytes_ = 0;
    bool is_limited_ = false;
};

/// Host memory that the device copies to and from without the driver's own staging.
class PinnedBuffer {
  public:
    PinnedBuffer() = default;
    ~PinnedBuffer() { free(); }
    PinnedBuffer(const PinnedBuffer&) = delete;
    PinnedBuffer& operator=(const PinnedBuffer&) = delete;

    void reserve(size_t bytes, const char* what) {
        if (bytes <= bytes_) return;
        free();
        const size_t rounded = rounded_bytes(bytes);
        check(cudaHostAlloc(&memory_, rounded, cudaHostAllocDefault), what);
        bytes_ = rounded;
    }

    template <class T>
    T* data() const {
        return static_cast<T*>(memory_);
    }

  private:
    void free() noexcept {
        if (memory_ == nullptr) return;
        ignore(cudaFreeHost(std::exchange(memory_, nullptr)));
        bytes_ = 0;
    }

    void* memory_ = nullptr;
    size_t bytes_ = 0;
};

}  // namespace gannet::kernels::cuda
