// SPDX-License-Identifier: MIT
// Provides what a symbol of a DEFLATE stream stands for, as an entry of a table, and the CRC-32 as
// multiplication of polynomials: what the device schedule of the op inflate computes with.
#pragma once

#include "kernels/bits.hpp"
#include "kernels/deflate/deflate_cell.hpp"
#include "kernels/inflate/inflate.hpp"

#include <cstdint>

namespace gannet::kernels::inflate {

using deflate::k_code_lengths;
using deflate::k_distances;
using deflate::k_end_symbol;
using deflate::k_first_length_symbol;
using deflate::k_fixed_distance_bits;
using deflate::k_fixed_literals;
using deflate::k_literals;
using deflate::k_max_code_bits;
using deflate::k_max_code_length_bits;
using deflate::k_max_length;

inline constexpr uint32_t k_fixed_distances = 32;  ///< words of the fixed code, two of them never used
inline constexpr uint32_t k_max_lengths = k_fixed_literals + k_fixed_distances;  ///< of words of both codes

// Runs of lengths (RFC 1951, 3.2.7); a third symbol is of long runs of zeros.
inline constexpr uint32_t k_repeat_last = 16;
inline constexpr uint32_t k_repeat_zero = 17;

enum class Alphabet : uint8_t { literals, distances, code_lengths };

/// A symbol as it is looked up. Bits 0-3: of its word, never 0; bits 4-7: extra bits behind it; bits 8-9: its
/// kind; from bit 16 on: the byte, or the least length or distance, or the symbol.
using Entry = uint32_t;
enum class EntryKind : uint32_t { plain, with_extra_bits, end, without_meaning };

constexpr uint32_t word_bits(Entry entry) { return entry & 15; }
constexpr uint32_t extra_bits(Entry entry) { return entry >> 4 & 15; }
constexpr EntryKind kind(Entry entry) { return static_cast<EntryKind>(entry >> 8 & 3); }
constexpr uint32_t value(Entry entry) { return entry >> 16; }

constexpr Entry make_entry(uint32_t bits, EntryKind kind, uint32_t value, uint32_t extra = 0) {
    return bits | extra << 4 | static_cast<uint32_t>(kind) << 8 | value << 16;
}

/// The least of the values that a symbol stands for, as deflate::coded() makes it.
constexpr uint32_t least_value(uint32_t symbol, uint32_t log_per_power) {
    const uint32_t extra = deflate::extra_bits(symbol, log_per_power);
    return extra == 0 ? symbol : ((1u << log_per_power) + (symbol & ((1u << log_per_power) - 1))) << extra;
}

constexpr Entry entry_of(Alphabet alphabet, uint32_t symbol, uint32_t bits) {
    constexpr uint32_t k_shortest = 3;
    if (alphabet == Alphabet::code_lengths) return make_entry(bits, EntryKind::plain, symbol);
    if (alphabet == Alphabet::distances) {
        if (symbol >= k_distances) return make_entry(bits, EntryKind::without_meaning, 0);
        return make_entry(bits, EntryKind::with_extra_bits, 1 + least_value(symbol, deflate::k_log_distances),
                          deflate::distance_extra_bits(symbol));
    }
    if (symbol < k_end_symbol) return make_entry(bits, EntryKind::plain, symbol);
    if (symbol == k_end_symbol) return make_entry(bits, EntryKind::end, 0);
    if (symbol >= k_literals) return make_entry(bits, EntryKind::without_meaning, 0);
    if (symbol == k_literals - 1) return make_entry(bits, EntryKind::with_extra_bits, k_max_length);
    return make_entry(bits, EntryKind::with_extra_bits,
                      k_shortest + least_value(symbol - k_first_length_symbol, deflate::k_log_lengths),
                      deflate::literal_extra_bits(symbol));
}

/// The 15 bits from the lowest on, turned round: words begin with their highest bit.
constexpr uint32_t turned(uint32_t bits) { return reversed_bits(bits) >> (32 - k_max_code_bits); }

// CRC-32 (RFC 1952, 8): a polynomial over bits, modulo one of degree 32; bit 31 is that of x^0.

constexpr uint32_t times_x(uint32_t a) { return (a & 1) != 0 ? a >> 1 ^ 0xedb88320 : a >> 1; }

constexpr uint32_t product(uint32_t a, uint32_t b) {
    uint32_t result = 0;
    for (uint32_t k = 0; k < 32; ++k) {
        if ((a << k & 0x80000000) != 0) result ^= b;
        b = times_x(b);
    }
    return result;
}

consteval uint32_t power_of_x(uint32_t exponent) {
    uint32_t result = 0x80000000;
    for (uint32_t k = 0; k < exponent; ++k) result = times_x(result);
    return result;
}

}  // namespace gannet::kernels::inflate
