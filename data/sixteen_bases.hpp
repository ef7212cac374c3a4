// SPDX-License-Identifier: MIT
// Provides what loops over bases do with sixteen codes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tmmintrin.h>

namespace gannet::data::sixteen_bases {

inline constexpr size_t k_at_once = 16;

inline __m128i load(const uint8_t* bytes) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)); }
inline void store(uint8_t* bytes, __m128i values) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), values);
}

inline __m128i reversed(__m128i bytes) {
    return _mm_shuffle_epi8(bytes, _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

/// Of codes up to k_base_n.
inline __m128i complement_each(__m128i codes) {
    return _mm_shuffle_epi8(_mm_setr_epi8(3, 2, 1, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4), codes);
}

/// The nibbles of sixteen codes, two a byte: 1 << code, or 15 for k_base_n.
inline uint64_t nibbles_of(__m128i codes) {
    const __m128i nibbles =
        _mm_shuffle_epi8(_mm_setr_epi8(1, 2, 4, 8, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15), codes);
    const __m128i pairs = _mm_maddubs_epi16(nibbles, _mm_set1_epi16(0x0110));  // 16 x the first + the second
    return static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(pairs, pairs)));
}

/// Writes the codes of the 32 bases of a word.
inline void put_codes(uint64_t packed, uint8_t* out) {
    const __m128i word = _mm_cvtsi64_si128(static_cast<int64_t>(packed));
    const __m128i low_four = _mm_set1_epi8(15);
    const __m128i low_two = _mm_set1_epi8(3);
    const __m128i quads = _mm_unpacklo_epi8(_mm_and_si128(word, low_four),  // two bases a byte
                                            _mm_and_si128(_mm_srli_epi16(word, 4), low_four));
    const __m128i first = _mm_and_si128(quads, low_two);
    const __m128i second = _mm_and_si128(_mm_srli_epi16(quads, 2), low_two);
    store(out, _mm_unpacklo_epi8(first, second));
    store(out + k_at_once, _mm_unpackhi_epi8(first, second));
}

/// Calls put(i) for blocks of sixteen that cover the first `count` bases, of which the last one may overlap
/// the one before it; each begins at a multiple of `unit`, so that with a unit of 2 a base may be left over.
/// Bases that are in no block, all of fewer than sixteen, are given to one(i).
template <size_t unit = 1, class Put, class One>
[[gnu::always_inline]] inline void each_at_once(size_t count, const Put& put, const One& one) {
    size_t i = 0;
    for (; i + k_at_once <= count; i += k_at_once) put(i);
    if (i != 0 && i != count) {
        const size_t last = (count - k_at_once) / unit * unit;
        put(last);
        i = last + k_at_once;
    }
    for (; i < count; ++i) one(i);
}

}  // namespace gannet::data::sixteen_bases
