// SPDX-License-Identifier: MIT
// Provides what loops over bases do with eight codes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gannet::data::eight_bases {

// Eight codes are a word, a byte each, the first in the lowest byte (x86-64 is little-endian).
inline constexpr size_t k_at_once = 8;
inline constexpr uint64_t k_ones = 0x0101010101010101;

inline uint64_t load(const uint8_t* bytes) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

/// A code has bit 2 if it is k_base_n, and bits 0 and 1 if not: their complement is 3 - code.
constexpr uint64_t complement_each(uint64_t codes) {
    return codes ^ (3 * k_ones - 3 * (codes >> 2 & k_ones));
}

/// The nibbles of eight codes: 1 << code, or 15 for k_base_n.
constexpr uint32_t nibbles_of(uint64_t codes) {
    uint64_t nibbles = k_ones + 3 * (codes >> 1 & k_ones);
    nibbles += nibbles & 0xff * (codes & k_ones);
    nibbles += 14 * (codes >> 2 & k_ones);
    nibbles = (nibbles << 4 | nibbles >> 8) & 0x00ff00ff00ff00ff;
    nibbles = (nibbles | nibbles >> 8) & 0x0000ffff0000ffff;
    return static_cast<uint32_t>(nibbles | nibbles >> 16);
}

/// The codes of the eight bases in the low 16 bits.
constexpr uint64_t codes_of(uint64_t packed) {
    packed &= 0xffff;
    packed = (packed | packed << 24) & 0x000000ff000000ff;
    packed = (packed | packed << 12) & 0x000f000f000f000f;
    return (packed | packed << 6) & 3 * k_ones;
}

/// Calls put(i) with i = 0, 8, 16, … as long as eight are left, and one(i) for each of the rest.
template <class Put, class One>
void each_at_once(size_t count, const Put& put, const One& one) {
    size_t i = 0;
    for (; i + k_at_once <= count; i += k_at_once) put(i);
    for (; i < count; ++i) one(i);
}

}  // namespace gannet::data::eight_bases
