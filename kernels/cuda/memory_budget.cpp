// SPDX-License-Identifier: MIT
// Provides the counted memory of a device.
#include "kernels/cuda/memory_budget.hpp"

#include "kernels/backend.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace gannet::kernels::cuda {

namespace {

std::string size_text(uint64_t bytes) {
    constexpr uint64_t k_mb = uint64_t{1} << 20;
    return std::to_string((bytes + k_mb - 1) / k_mb) + " MB";
}

}  // namespace

uint64_t MemoryBudget::used_bytes() const {
    const std::lock_guard lock(mutex_);
    return used_bytes_;
}

void MemoryBudget::take(uint64_t bytes, const char* what) {
    const std::lock_guard lock(mutex_);
    if (bytes > total_bytes_ - used_bytes_) refuse(bytes, what);
    used_bytes_ += bytes;
}

uint64_t MemoryBudget::take_some(uint64_t least, uint64_t wanted, const char* what) {
    assert(least <= wanted);
    const std::lock_guard lock(mutex_);
    const uint64_t left = total_bytes_ - used_bytes_;
    if (least > left) refuse(least, what);
    const uint64_t taken = std::min(wanted, std::max(least, left / 2));
    used_bytes_ += taken;
    return taken;
}

void MemoryBudget::give_back(uint64_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    assert(bytes <= used_bytes_);
    used_bytes_ -= bytes;
}

void MemoryBudget::refuse(uint64_t bytes, const char* what) const {
    throw DeviceOutOfMemory(owner_ + ": " + what + " needs " + size_text(bytes) + " of device memory, and " +
                            size_text(total_bytes_ - used_bytes_) + " of " + size_text(total_bytes_) +
                            " are left; give more to --gpu-memory, use fewer --threads, or --backend simd");
}

uint64_t usable_memory(uint64_t free_bytes, uint64_t limit) {
    const uint64_t most = free_bytes / 10 * 9;
    return limit == 0 ? most : std::min(limit, most);
}

uint64_t rounded_bytes(uint64_t bytes) {
    constexpr uint64_t k_min_step = uint64_t{1} << 16;
    const uint64_t step = std::max(k_min_step, std::bit_floor(bytes) / 8);
    return (bytes + step - 1) / step * step;
}

}  // namespace gannet::kernels::cuda
