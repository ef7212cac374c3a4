// SPDX-License-Identifier: MIT
// Provides counted memory of a device or of the host.
#include "kernels/cuda/arena.hpp"

#include <algorithm>
#include <utility>

namespace gannet::kernels::cuda {

CountedBlock::CountedBlock(MemorySource& source, MemoryBudget& budget, uint64_t bytes, const char* what)
    : source_(source), budget_(budget), bytes_(bytes) {
    budget.take(bytes, what);
    try {
        memory_ = source.allocate(bytes);
        if (memory_ == nullptr) budget.report_missing(bytes, what);
    } catch (...) {
        budget.give_back(bytes);
        throw;
    }
}

CountedBlock::~CountedBlock() {
    source_.free(memory_);
    budget_.give_back(bytes_);
}

void Arena::start(uint64_t bytes, const char* what) {
    if (bytes <= bytes_) return;
    release();
    allocate(std::min(bytes, k_min_bytes), rounded_bytes(bytes), what);
    is_settled_ = true;
}

void Arena::reserve(uint64_t least, uint64_t wanted, const char* what) {
    wanted = std::max(least, wanted);
    if (wanted <= bytes_ || (least <= bytes_ && is_settled_)) return;
    if (bytes_ > 0) ++source_.growths_;
    release();
    const uint64_t rounded = rounded_bytes(wanted);
    allocate(least, rounded, what);
    is_settled_ = is_settled_ || bytes_ < rounded;
}

void Arena::allocate(uint64_t least, uint64_t wanted, const char* what) {
    for (uint64_t ask = wanted;;) {
        const uint64_t granted = share_.take_some(least, ask, what);
        try {
            memory_ = source_.allocate(granted);
        } catch (...) {
            share_.give_back(granted);
            throw;
        }
        if (memory_ != nullptr) {
            bytes_ = granted;
            ++blocks_taken_;
            return;
        }
        share_.give_back(granted);
        if (granted == least) share_.budget().report_missing(least, what);
        ask = std::max(least, granted / 2);
    }
}

void Arena::release() noexcept {
    if (memory_ == nullptr) return;
    source_.free(std::exchange(memory_, nullptr));
    share_.give_back(std::exchange(bytes_, 0));
}

}  // namespace gannet::kernels::cuda
