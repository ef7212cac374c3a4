// SPDX-License-Identifier: MIT
// Provides what reference and schedule of the op deflate have in common: the codes of lengths and distances
// (RFC 1951, 3.2.5), the hash of positions, the order and the runs of code lengths (3.2.7).
#pragma once

#include "kernels/bits.hpp"
#include "kernels/deflate/deflate.hpp"

#include <cstdint>

namespace gannet::kernels::deflate {

inline constexpr uint32_t k_literals = 286;  ///< symbols of the first code: bytes, the end, lengths
inline constexpr uint32_t k_distances = 30;
inline constexpr uint32_t k_code_lengths = 19;
inline constexpr uint32_t k_end_symbol = 256;
inline constexpr uint32_t k_first_length_symbol = 257;
inline constexpr uint32_t k_max_code_bits = 15;
inline constexpr uint32_t k_max_code_length_bits = 7;
inline constexpr uint32_t k_fixed_literals = 288;  ///< symbols of the fixed code, two of them never used
inline constexpr uint32_t k_max_length = 258;
inline constexpr uint32_t k_max_distance = 32'768;
inline constexpr uint32_t k_min_match = 6;  ///< also the bytes that are hashed
inline constexpr uint32_t k_tile = 32;
inline constexpr uint32_t k_bucket_bits = 12;
inline constexpr uint32_t k_buckets = 1u << k_bucket_bits;

/// Of a position whose bytes are the lowest six of `word`.
constexpr uint32_t bucket_of(uint64_t word) {
    return static_cast<uint32_t>((word << 16) * 0x9e3779b185ebca87u >> (64 - k_bucket_bits));
}

/// A length or a distance as its symbol and the bits behind it.
struct Coded {
    uint32_t symbol = 0;
    uint32_t extra = 0;
    uint32_t extra_bits = 0;
};

/// Of values from 0 on: each power of two has 2^log_per_power symbols, and small values one each.
constexpr Coded coded(uint32_t value, uint32_t log_per_power) {
    const uint32_t plain = 2u << log_per_power;
    if (value < plain) return {value, 0, 0};
    const uint32_t bits = 31 - leading_zeros(value) - log_per_power;
    return {(bits << log_per_power) + (value >> bits), value & ((1u << bits) - 1), bits};
}

/// Behind the symbol of that number.
constexpr uint32_t extra_bits(uint32_t symbol, uint32_t log_per_power) {
    return symbol < 2u << log_per_power ? 0 : (symbol >> log_per_power) - 1;
}

inline constexpr uint32_t k_log_lengths = 2;  ///< lengths have four symbols for each power of two
inline constexpr uint32_t k_log_distances = 1;

/// Behind a symbol of the first code.
constexpr uint32_t literal_extra_bits(uint32_t symbol) {
    if (symbol < k_first_length_symbol || symbol == k_literals - 1) return 0;
    return extra_bits(symbol - k_first_length_symbol, k_log_lengths);
}
constexpr uint32_t distance_extra_bits(uint32_t symbol) { return extra_bits(symbol, k_log_distances); }

/// Of 3 to 258 bytes; the symbol is one of the first code.
constexpr Coded coded_length(uint32_t length) {
    constexpr uint32_t k_shortest = 3;
    if (length == k_max_length) return {k_literals - 1, 0, 0};
    Coded result = coded(length - k_shortest, k_log_lengths);
    result.symbol += k_first_length_symbol;
    return result;
}
/// Of 1 to 32,768 bytes.
constexpr Coded coded_distance(uint32_t distance) { return coded(distance - 1, k_log_distances); }

/// The order in which the lengths of the code of code lengths are written, twelve to a word: a device has the
/// host's constants as numbers only, not as arrays.
inline constexpr uint32_t k_orders_in_word = 12;
consteval uint64_t code_length_order(uint32_t first) {
    constexpr uint8_t order[2 * k_orders_in_word] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                     11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint64_t word = 0;
    for (uint32_t k = 0; k < k_orders_in_word; ++k) word |= uint64_t{order[first + k]} << 5 * k;
    return word;
}
/// The symbol whose length is written as number k.
constexpr uint32_t code_length_in_order(uint32_t k) {
    const bool is_first = k < k_orders_in_word;
    const uint64_t word = is_first ? code_length_order(0) : code_length_order(k_orders_in_word);
    return static_cast<uint32_t>(word >> 5 * (is_first ? k : k - k_orders_in_word)) & 31;
}

constexpr uint32_t fixed_literal_bits(uint32_t symbol) {
    return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}
inline constexpr uint32_t k_fixed_distance_bits = 5;

/// The lowest `count` bits of `code`, the first one last: codes are written from their highest bit.
constexpr uint32_t reversed(uint32_t code, uint32_t count) {
    uint32_t result = 0;
    for (uint32_t k = 0; k < count; ++k) result |= (code >> k & 1) << (count - 1 - k);
    return result;
}

/// Gives the runs of code lengths to `visit(symbol, extra, extra_bits)`: 18 and 17 for zeros, 16 for the
/// length before, as many as each takes; what is left by themselves.
template <class Visit>
constexpr void each_run(const uint8_t* lengths, uint32_t count, const Visit& visit) {
    for (uint32_t begin = 0; begin < count;) {
        const uint32_t length = lengths[begin];
        uint32_t end = begin + 1;
        while (end < count && lengths[end] == length) ++end;
        uint32_t left = end - begin;
        begin = end;
        if (length == 0) {
            for (; left >= 11; left -= left < 138 ? left : 138) visit(18, (left < 138 ? left : 138) - 11, 7);
            if (left >= 3) {
                visit(17, left - 3, 3);
                left = 0;
            }
        } else {
            visit(length, 0, 0);
            --left;
            for (; left >= 3; left -= left < 6 ? left : 6) visit(16, (left < 6 ? left : 6) - 3, 2);
        }
        for (; left > 0; --left) visit(length, 0, 0);
    }
}

}  // namespace gannet::kernels::deflate
