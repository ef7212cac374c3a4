// SPDX-License-Identifier: MIT
// Provides sums over bytes and packed bases, sixteen or eight bytes at a time. Internal to qc/.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <emmintrin.h>
#include <smmintrin.h>
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

inline constexpr size_t k_lane = sizeof(__m128i);

inline __m128i lane_at(const uint8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

/// The last, incomplete lane of 1 to 15 bytes, filled up with zeros. `before`: bytes in front of it that may
/// be read as well.
inline __m128i lane_at(const uint8_t* from, size_t bytes, size_t before) {
    if (before + bytes >= k_lane) {
        // The lane that ends with these bytes, moved to its beginning.
        static constexpr std::array<uint8_t, 2 * k_lane> k_order = {
            0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
            128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128};
        return _mm_shuffle_epi8(lane_at(from + bytes - k_lane), lane_at(&k_order[k_lane - bytes]));
    }
    const uint64_t low = bytes >= 8 ? word_at(from) : word_at(from, bytes);
    const uint64_t high = bytes > 8 ? word_at(from + 8, bytes - 8) : 0;
    return _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
}

/// Calls use(offset, lane) for all lanes of sixteen bytes, the last one filled up with zeros.
template <class Use>
[[gnu::always_inline]] inline void for_each_lane(std::span<const uint8_t> bytes, Use use) {
    size_t at = 0;
    for (; at + k_lane <= bytes.size(); at += k_lane) use(at, lane_at(bytes.data() + at));
    if (at < bytes.size()) use(at, lane_at(bytes.data() + at, bytes.size() - at, at));
}

inline uint64_t byte_sum(std::span<const uint8_t> bytes) {
    __m128i sums = _mm_setzero_si128();
    for_each_lane(
        bytes, [&](size_t, __m128i lane) __attribute__((always_inline)) {
            sums = _mm_add_epi64(sums, _mm_sad_epu8(lane, _mm_setzero_si128()));
        });
    return static_cast<uint64_t>(_mm_cvtsi128_si64(sums)) +
           static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
}

/// Of bytes below 128, 255 for each that is `least` (from 1 on) or more.
inline __m128i bytes_from(__m128i bytes, uint8_t least) {
    return _mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(least - 1)));
}

/// Bytes of 255, where the others are 0.
inline uint32_t count_set(__m128i bytes) {
    return static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(_mm_movemask_epi8(bytes))));
}

/// Bytes from `least` on; both below 128.
inline uint32_t count_from(std::span<const uint8_t> bytes, uint8_t least) {
    uint32_t sum = 0;
    for_each_lane(
        bytes, [&](size_t, __m128i lane)
                   __attribute__((always_inline)) { sum += count_set(bytes_from(lane, least)); });
    return sum;
}

template <bool adds>
inline void move_bytes(std::span<uint8_t> bytes, uint32_t* sums) {
    for (size_t at = 0; at < bytes.size(); at += k_lane) {
        for (size_t i = at; i < at + k_lane; i += 4) {
            auto* const to = reinterpret_cast<__m128i*>(sums + i);
            uint32_t four = 0;
            std::memcpy(&four, &bytes[i], sizeof four);
            __m128i sum = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(static_cast<int>(four)));
            if constexpr (adds) sum = _mm_add_epi32(_mm_loadu_si128(to), sum);
            _mm_storeu_si128(to, sum);
        }
        _mm_storeu_si128(reinterpret_cast<__m128i*>(&bytes[at]), _mm_setzero_si128());
    }
}

/// Adds `bytes`, a multiple of sixteen of them, to as many sums, and sets them to 0.
inline void move_to_sums(std::span<uint8_t> bytes, uint32_t* sums) { move_bytes<true>(bytes, sums); }
/// The same of sums whose values so far are of no account.
inline void move_to_new_sums(std::span<uint8_t> bytes, uint32_t* sums) { move_bytes<false>(bytes, sums); }

/// Of packed bases (A 1, C 2, G 4, T 8, N 15).
struct BaseSums {
    uint32_t gc = 0;       ///< C and G
    uint32_t unknown = 0;  ///< N
};

/// Of the bases [begin, end).
inline BaseSums base_sums(std::span<const uint8_t> nibbles, size_t begin, size_t end) {
    uint32_t bits = 0;     // of all bases: one each, but four of an N
    uint32_t gc_bits = 0;  // of C and G, and two of an N
    const auto add = [&](uint64_t word) __attribute__((always_inline)) {
        bits += static_cast<uint32_t>(std::popcount(word));
        gc_bits += static_cast<uint32_t>(std::popcount(word & 0x6666666666666666));
    };
    const auto bases = static_cast<uint32_t>(end - begin);
    if (begin < end && begin % 2 == 1) add(nibbles[begin++ / 2] & 15u);
    if (begin < end && end % 2 == 1) add(nibbles[--end / 2] & 0xf0u);
    const uint8_t* at = nibbles.data() + begin / 2;
    const uint8_t* const stop = nibbles.data() + end / 2;
    for (; stop - at >= 16; at += 16) {
        add(word_at(at));
        add(word_at(at + 8));
    }
    if (stop - at >= 8) {
        add(word_at(at));
        at += 8;
    }
    if (at < stop) add(word_at(at, static_cast<size_t>(stop - at)));
    const uint32_t unknown = (bits - bases) / 3;
    return {gc_bits - 2 * unknown, unknown};
}

/// Whether any of the packed bases is N.
inline bool has_unknown(std::span<const uint8_t> nibbles, size_t bases) {
    return base_sums(nibbles, 0, bases).unknown > 0;
}

}  // namespace gannet::pipeline::qc
