// SPDX-License-Identifier: MIT
// Provides memory of vectors in huge pages.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace gannet::pipeline::qc {

/// For a vector of megabytes that is looked up at random: it comes with few page faults and takes few entries
/// of the TLB. Where there are no huge pages the memory is the same, and only slower. The size is rounded up
/// to huge pages.
template <class Value>
struct HugePageAllocator {
    using value_type = Value;
    static constexpr size_t k_huge_bytes = size_t{2} << 20;

    HugePageAllocator() = default;
    template <class Other>
    explicit HugePageAllocator(const HugePageAllocator<Other>&) {}

    Value* allocate(size_t values) {
        const size_t bytes = (values * sizeof(Value) + k_huge_bytes - 1) / k_huge_bytes * k_huge_bytes;
        void* const memory = std::aligned_alloc(k_huge_bytes, bytes);
        if (memory == nullptr) throw std::bad_alloc();
        madvise(memory, bytes, MADV_HUGEPAGE);  // a hint
        return static_cast<Value*>(memory);
    }
    void deallocate(Value* memory, size_t) noexcept { std::free(memory); }
    bool operator==(const HugePageAllocator&) const = default;
};

}  // namespace gannet::pipeline::qc
