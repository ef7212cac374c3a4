// SPDX-License-Identifier: MIT
// Provides counts of bits for code that runs on the host and on a device.
//
// In device code nvcc makes constants of std::popcount, std::countr_zero and std::countl_zero (of some
// widths), without a word: GCC's header chooses what it calls by macros that hold for the host only. So
// device code has these instead (tests/layers/check_device_code.py).
#pragma once

#include <bit>
#include <cstdint>

namespace gannet::kernels {

constexpr uint32_t bit_count(uint32_t bits) {
#ifdef __CUDA_ARCH__
    return static_cast<uint32_t>(__popc(bits));
#else
    return static_cast<uint32_t>(std::popcount(bits));
#endif
}
constexpr uint32_t bit_count(uint64_t bits) {
#ifdef __CUDA_ARCH__
    return static_cast<uint32_t>(__popcll(bits));
#else
    return static_cast<uint32_t>(std::popcount(bits));
#endif
}

/// Above the highest bit that is set; the width where none is.
constexpr uint32_t leading_zeros(uint32_t bits) {
#ifdef __CUDA_ARCH__
    return static_cast<uint32_t>(__clz(static_cast<int>(bits)));
#else
    return static_cast<uint32_t>(std::countl_zero(bits));
#endif
}
constexpr uint32_t leading_zeros(uint64_t bits) {
#ifdef __CUDA_ARCH__
    return static_cast<uint32_t>(__clzll(static_cast<long long>(bits)));
#else
    return static_cast<uint32_t>(std::countl_zero(bits));
#endif
}

/// Below the lowest bit that is set; the width where none is.
constexpr uint32_t trailing_zeros(uint32_t bits) {
#ifdef __CUDA_ARCH__
    return static_cast<uint32_t>(__clz(static_cast<int>(__brev(bits))));
#else
    return static_cast<uint32_t>(std::countr_zero(bits));
#endif
}
constexpr uint32_t trailing_zeros(uint64_t bits) {
#ifdef __CUDA_ARCH__
    return static_cast<uint32_t>(__clzll(static_cast<long long>(__brevll(bits))));
#else
    return static_cast<uint32_t>(std::countr_zero(bits));
#endif
}

}  // namespace gannet::kernels
