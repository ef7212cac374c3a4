// SPDX-License-Identifier: MIT
// Provides inline helpers over 2-bit packed bases, for host and device: words at any base, reversal,
// differences, and a hash.
#pragma once

#include <cstdint>

namespace gannet::kernels {

inline constexpr uint64_t k_low_bits = 0x5555555555555555;  ///< the low bit of each 2-bit base

/// 32 bases from `base` on, the first in the lowest bits. Reads the words base/32 and base/32 + 1.
constexpr uint64_t word_at(const uint64_t* packed, uint64_t base) {
    const uint64_t* word = packed + (base >> 5);
    const unsigned shift = static_cast<unsigned>(base & 31) * 2;
    return word[0] >> shift | (word[1] << 1) << (63 - shift);
}

/// The same 32 bases in reverse order.
constexpr uint64_t reverse_bases(uint64_t word) {
    word = (word >> 2 & 0x3333333333333333) | (word & 0x3333333333333333) << 2;
    word = (word >> 4 & 0x0f0f0f0f0f0f0f0f) | (word & 0x0f0f0f0f0f0f0f0f) << 4;
#ifdef __CUDA_ARCH__
    return uint64_t{__byte_perm(static_cast<uint32_t>(word), 0, 0x0123)} << 32 |
           __byte_perm(static_cast<uint32_t>(word >> 32), 0, 0x0123);
#else
    return __builtin_bswap64(word);
#endif
}

/// The low bit of each base that differs is set.
constexpr uint64_t mismatch_bits(uint64_t a, uint64_t b) {
    const uint64_t difference = a ^ b;
    return (difference | difference >> 1) & k_low_bits;
}

/// A 64-bit finaliser (Stafford's mix 13 of MurmurHash3's): every input bit reaches every output bit.
constexpr uint64_t mix64(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9;
    x ^= x >> 27;
    x *= 0x94d049bb133111eb;
    return x ^ x >> 31;
}

}  // namespace gannet::kernels
