// SPDX-License-Identifier: MIT
// Provides counts and the reversal of bits for code that runs on the host and on a device.
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

/// The highest bit becomes the lowest.
constexpr uint32_t reversed_bits(uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __brev(bits);
#else
    bits = (bits >> 1 & 0x55555555) | (bits & 0x55555555) << 1;
    bits = (bits >> 2 & 0x33333333) | (bits & 0x33333333) << 2;
    bits = (bits >> 4 & 0x0f0f0f0f) | (bits & 0x0f0f0f0f) << 4;
    bits = (bits >> 8 & 0x00ff00ff) | (bits & 0x00ff00ff) << 8;
    return bits >> 16 | bits << 16;
#endif
}

}  // namespace gannet::kernels
