// SPDX-License-Identifier: MIT
// Provides memory that vectors of every instruction set can be loaded from and stored to.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace gannet::kernels::simd {

/// Aligned to 64 bytes. Kept from use to use: it grows and never shrinks, and its contents are lost when it
/// grows.
template <class T>
class AlignedBuffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    /// Room for at least `count` values.
    T* at_least(size_t count) {
        if (count > count_) {
            memory_.reset();
            memory_.reset(static_cast<T*>(::operator new(count * sizeof(T), k_alignment)));
            count_ = count;
        }
        return memory_.get();
    }

  private:
    static constexpr std::align_val_t k_alignment{64};
    struct Delete {
        void operator()(T* memory) const { ::operator delete(memory, k_alignment); }
    };
    std::unique_ptr<T, Delete> memory_;
    size_t count_ = 0;
};

}  // namespace gannet::kernels::simd
