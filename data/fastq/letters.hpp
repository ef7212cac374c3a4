// SPDX-License-Identifier: MIT
// Provides conversion of the letters of a read, 16 at a time: bases to codes, qualities to Phred, with their
// checks.
#pragma once

#include "data/sequence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <tmmintrin.h>

namespace gannet::data::fastq {

inline constexpr uint8_t k_phred_offset = 33;
inline constexpr uint8_t k_max_phred = 93;

/// Letters to codes; false when one is not a nucleotide letter (IUPAC). Upper-case ACGTN go by table look-ups
/// in a register: their low nibbles differ. All other letters are converted one by one.
inline bool encode_bases(const char* letters, size_t size, Base* out) {
    // 1 where the low nibble is 0: no such byte is 1, so that NUL, which is all zeros, is no letter either.
    const __m128i expected = _mm_setr_epi8(1, 'A', 0, 'C', 'T', 0, 0, 'G', 0, 0, 0, 0, 0, 0, 'N', 0);
    const __m128i codes = _mm_setr_epi8(0, 0, 0, 1, 3, 0, 0, 2, 0, 0, 0, 0, 0, 0, 4, 0);
    size_t i = 0;
    bool good = true;
    for (; i + 16 <= size; i += 16) {
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(letters + i));
        const __m128i nibble = _mm_and_si128(text, _mm_set1_epi8(15));
        if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_shuffle_epi8(expected, nibble), text)) == 0xffff) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), _mm_shuffle_epi8(codes, nibble));
            continue;
        }
        for (size_t k = i; k < i + 16; ++k) {
            good &= k_is_iupac[static_cast<uint8_t>(letters[k])] != 0;
            out[k] = k_base_of_letter[static_cast<uint8_t>(letters[k])];
        }
    }
    for (; i < size; ++i) {
        good &= k_is_iupac[static_cast<uint8_t>(letters[i])] != 0;
        out[i] = k_base_of_letter[static_cast<uint8_t>(letters[i])];
    }
    return good;
}

/// Bytes less 33 to `out`; `lowest` and `highest` are widened by the bytes met. The caller checks their
/// range.
inline void decode_qualities(const char* letters, size_t size, uint8_t* out, uint8_t& lowest,
                             uint8_t& highest) {
    __m128i low = _mm_set1_epi8(static_cast<char>(lowest));
    __m128i high = _mm_set1_epi8(static_cast<char>(highest));
    size_t i = 0;
    for (; i + 16 <= size; i += 16) {
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(letters + i));
        low = _mm_min_epu8(low, text);
        high = _mm_max_epu8(high, text);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                         _mm_sub_epi8(text, _mm_set1_epi8(k_phred_offset)));
    }
    std::array<uint8_t, 16> lows, highs;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(lows.data()), low);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(highs.data()), high);
    for (size_t k = 0; k < 16; ++k) {
        lowest = lows[k] < lowest ? lows[k] : lowest;
        highest = highs[k] > highest ? highs[k] : highest;
    }
    for (; i < size; ++i) {
        const auto letter = static_cast<uint8_t>(letters[i]);
        lowest = letter < lowest ? letter : lowest;
        highest = letter > highest ? letter : highest;
        out[i] = static_cast<uint8_t>(letter - k_phred_offset);
    }
}

}  // namespace gannet::data::fastq
