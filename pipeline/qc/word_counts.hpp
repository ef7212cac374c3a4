// SPDX-License-Identifier: MIT
// Provides sums over bytes and packed bases, eight bytes at a time. Internal to qc/.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gannet::pipeline::qc {

inline uint64_t word_at(const uint8_t* from) {
    uint64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
}
/// The last, incomplete word of 1 to 7 bytes, filled up with zeros: two loads that overlap, since a copy of
/// any size is a call.
inline uint64_t word_at(const uint8_t* from, size_t bytes) {
    if (bytes >= 4) {
        uint32_t low = 0;
        uint32_t high = 0;
        std::memcpy(&low, from, sizeof low);
        std::memcpy(&high, from + bytes - 4, sizeof high);
        return low | uint64_t{high} << 8 * (bytes - 4);
    }
    uint64_t word = from[0];
    if (bytes > 1) word |= uint64_t{from[1]} << 8;
    if (bytes > 2) word |= uint64_t{from[2]} << 16;
    return word;
}

inline uint64_t byte_sum(std::span<const uint8_t> bytes) {
    constexpr uint64_t k_even = 0x00ff00ff00ff00ff;
    uint64_t sum = 0;
    const uint8_t* at = bytes.data();
    const uint8_t* const end = at + bytes.size();
    while (at < end) {
        // Four sums of 16 bits take 128 words without overflow.
        uint64_t sums = 0;
        const uint8_t* const stop = at + std::min<std::ptrdiff_t>((end - at) / 8, 127) * 8;
        for (; at < stop; at += 8) {
            const uint64_t word = word_at(at);
            sums += (word & k_even) + (word >> 8 & k_even);
        }
        if (const std::ptrdiff_t left = end - at; left > 0 && left < 8) {
            const uint64_t word = word_at(at, static_cast<size_t>(left));
            sums += (word & k_even) + (word >> 8 & k_even);
            at = end;
        }
        sum += (sums & 0xffff) + (sums >> 16 & 0xffff) + (sums >> 32 & 0xffff) + (sums >> 48);
    }
    return sum;
}

/// The sum of use(word) over all words of eight bytes, the last one filled up with zeros.
template <class Use>
uint32_t sum_of_words(std::span<const uint8_t> bytes, Use use) {
    uint32_t sum = 0;
    const uint8_t* at = bytes.data();
    const uint8_t* const stop = at + bytes.size() / 8 * 8;
    for (; at < stop; at += 8) sum += use(word_at(at));
    if (const size_t left = bytes.size() % 8; left > 0) sum += use(word_at(at, left));
    return sum;
}

/// Bytes from `least` on; both below 128.
inline uint32_t count_from(std::span<const uint8_t> bytes, uint8_t least) {
    constexpr uint64_t k_ones = 0x0101010101010101;
    const uint64_t up = k_ones * (128u - least);
    return sum_of_words(bytes, [up](uint64_t word) {
        return static_cast<uint32_t>(std::popcount((word + up) & (k_ones << 7)));
    });
}

/// Whether any of the packed bases is N.
inline bool has_unknown(std::span<const uint8_t> nibbles, size_t bases) {
    const auto bits_of = [](uint64_t word) { return static_cast<uint32_t>(std::popcount(word)); };
    return sum_of_words(nibbles, bits_of) != bases;
}

/// C and G among the bases [begin, end) of packed nibbles (A 1, C 2, G 4, T 8, N 15).
inline uint32_t gc_count(std::span<const uint8_t> nibbles, size_t begin, size_t end) {
    uint32_t bits = 0;     // of all bases: one each, but four of an N
    uint32_t gc_bits = 0;  // of C and G, and two of an N
    const auto add = [&](uint64_t word) {
        bits += static_cast<uint32_t>(std::popcount(word));
        gc_bits += static_cast<uint32_t>(std::popcount(word & 0x6666666666666666));
    };
    const auto bases = static_cast<uint32_t>(end - begin);
    if (begin < end && begin % 2 == 1) add(nibbles[begin++ / 2] & 15u);
    if (begin < end && end % 2 == 1) add(nibbles[--end / 2] & 0xf0u);
    size_t at = begin / 2;
    const size_t stop = end / 2;
    for (; at + 8 <= stop; at += 8) add(word_at(&nibbles[at]));
    if (at < stop) add(word_at(&nibbles[at], stop - at));
    return gc_bits - 2 * ((bits - bases) / 3);
}

}  // namespace gannet::pipeline::qc
