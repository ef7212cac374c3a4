// SPDX-License-Identifier: MIT
// Provides the counted memory of a device, and its shares.
#include "kernels/cuda/memory_budget.hpp"

#include "kernels/backend.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace gannet::kernels::cuda {

namespace {

std::string size_text(uint64_t bytes) {
    constexpr uint64_t k_mb = uint64_t{1} << 20;
    return std::to_string(bytes / k_mb + (bytes % k_mb != 0)) + " MB";
}

}  // namespace

uint64_t MemoryBudget::used_bytes() const {
    const std::lock_guard lock(mutex_);
    return used_bytes_;
}

uint64_t MemoryBudget::most_used_bytes() const {
    const std::lock_guard lock(mutex_);
    return most_used_bytes_;
}

uint64_t MemoryBudget::most_common_bytes() const {
    const std::lock_guard lock(mutex_);
    return most_common_bytes_;
}

void MemoryBudget::add(uint64_t bytes) {
    used_bytes_ += bytes;
    most_used_bytes_ = std::max(most_used_bytes_, used_bytes_);
}

void MemoryBudget::take(uint64_t bytes, const char* what) {
    const std::lock_guard lock(mutex_);
    if (bytes > left()) refuse(bytes, what);
    add(bytes);
    common_bytes_ += bytes;
    most_common_bytes_ = std::max(most_common_bytes_, common_bytes_);
}

void MemoryBudget::give_back(uint64_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    assert(bytes <= common_bytes_);
    common_bytes_ -= bytes;
    used_bytes_ -= bytes;
}

void MemoryBudget::refuse(uint64_t bytes, const char* what) const {
    throw DeviceOutOfMemory(owner_ + ": " + what + " needs " + size_text(bytes) + " of " + kind_ + ", and " +
                            size_text(left()) + " of " + size_text(total_bytes_) + " are left; " + advice_);
}

void MemoryBudget::report_missing(uint64_t bytes, const char* what) const {
    throw DeviceOutOfMemory(owner_ + ": " + what + " needs " + size_text(bytes) + " of " + kind_ +
                            ", which the driver does not have: free it of other programs, or " + advice_);
}

MemoryShare::MemoryShare(MemoryBudget& budget) : budget_(budget) {
    const std::lock_guard lock(budget_.mutex_);
    ++budget_.shares_;
}

MemoryShare::~MemoryShare() {
    const std::lock_guard lock(budget_.mutex_);
    --budget_.shares_;
    budget_.used_bytes_ -= held_bytes_;
}

uint64_t MemoryShare::take_some(uint64_t least, uint64_t wanted, const char* what) {
    assert(least <= wanted);
    const std::lock_guard lock(budget_.mutex_);
    const uint64_t left = budget_.left();
    if (least > left) budget_.refuse(least, what);
    const uint64_t fair = (budget_.total_bytes_ - budget_.common_bytes_) / budget_.shares_;
    const uint64_t rest = fair - std::min(fair, held_bytes_);
    const uint64_t taken = std::min({wanted, std::max(least, rest), left});
    budget_.add(taken);
    held_bytes_ += taken;
    return taken;
}

void MemoryShare::give_back(uint64_t bytes) noexcept {
    assert(bytes <= held_bytes_);
    held_bytes_ -= bytes;
    const std::lock_guard lock(budget_.mutex_);
    budget_.used_bytes_ -= bytes;
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
