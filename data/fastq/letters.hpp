// SPDX-License-Identifier: MIT
// Provides conversion of the letters of a read, 16 at a time: bases to codes, qualities to Phred, with their
// checks, and the end of its name.
#pragma once

#include "data/sequence.hpp"
#include "data/sixteen_bases.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tmmintrin.h>

namespace gannet::data::fastq {

inline constexpr uint8_t k_phred_offset = 33;
inline constexpr uint8_t k_max_phred = 93;

inline __m128i load_letters(const char* letters) {
    return sixteen_bases::load(reinterpret_cast<const uint8_t*>(letters));
}

/// Letters to codes; false when one is not a nucleotide letter (IUPAC). Upper-case ACGTN go by table look-ups
/// in a register: their low nibbles differ. All other letters are converted one by one.
inline bool encode_bases(const char* letters, size_t size, Base* out) {
    // 1 where the low nibble is 0: no such byte is 1, so that NUL, which is all zeros, is no letter either.
    const __m128i expected = _mm_setr_epi8(1, 'A', 0, 'C', 'T', 0, 0, 'G', 0, 0, 0, 0, 0, 0, 'N', 0);
    const __m128i codes = _mm_setr_epi8(0, 0, 0, 1, 3, 0, 0, 2, 0, 0, 0, 0, 0, 0, 4, 0);
    bool good = true;
    const auto encode_one = [&](size_t i) {
        good &= k_is_iupac[static_cast<uint8_t>(letters[i])] != 0;
        out[i] = k_base_of_letter[static_cast<uint8_t>(letters[i])];
    };
    sixteen_bases::each_at_once(
        size,
        [&](size_t i) {
            const __m128i text = load_letters(letters + i);
            const __m128i nibble = _mm_and_si128(text, _mm_set1_epi8(15));
            if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_shuffle_epi8(expected, nibble), text)) == 0xffff) {
                sixteen_bases::store(out + i, _mm_shuffle_epi8(codes, nibble));
                return;
            }
            for (size_t k = i; k < i + sixteen_bases::k_at_once; ++k) encode_one(k);
        },
        encode_one);
    return good;
}

/// `pick` of two vectors, over all sixteen bytes of `bytes`.
template <class Pick>
uint8_t pick_of_all(__m128i bytes, const Pick& pick) {
    bytes = pick(bytes, _mm_srli_si128(bytes, 8));
    bytes = pick(bytes, _mm_srli_si128(bytes, 4));
    bytes = pick(bytes, _mm_srli_si128(bytes, 2));
    bytes = pick(bytes, _mm_srli_si128(bytes, 1));
    return static_cast<uint8_t>(_mm_cvtsi128_si32(bytes));
}

/// Bytes less 33 to `out`; `lowest` and `highest` are widened by the bytes met. The caller checks their
/// range.
inline void decode_qualities(const char* letters, size_t size, uint8_t* out, uint8_t& lowest,
                             uint8_t& highest) {
    __m128i low = _mm_set1_epi8(static_cast<char>(lowest));
    __m128i high = _mm_set1_epi8(static_cast<char>(highest));
    // Inlined, so that what is widened stays in registers.
    sixteen_bases::each_at_once(
        size,
        [&](size_t i) __attribute__((always_inline)) {
            const __m128i text = load_letters(letters + i);
            low = _mm_min_epu8(low, text);
            high = _mm_max_epu8(high, text);
            sixteen_bases::store(out + i, _mm_sub_epi8(text, _mm_set1_epi8(k_phred_offset)));
        },
        [&](size_t i) {
            const __m128i letter = _mm_set1_epi8(letters[i]);
            low = _mm_min_epu8(low, letter);
            high = _mm_max_epu8(high, letter);
            out[i] = static_cast<uint8_t>(static_cast<uint8_t>(letters[i]) - k_phred_offset);
        });
    lowest = pick_of_all(low, [](__m128i a, __m128i b) { return _mm_min_epu8(a, b); });
    highest = pick_of_all(high, [](__m128i a, __m128i b) { return _mm_max_epu8(a, b); });
}

/// Letters before the first one that is not printable ASCII ('!' to '~').
inline size_t printable_letters(std::string_view text) {
    constexpr size_t k_at_once = sixteen_bases::k_at_once;
    // As signed bytes, all that are above '~' but DEL are negative.
    const auto printable_from = [&](size_t i) {
        const __m128i letters = load_letters(text.data() + i);
        const __m128i is_delete = _mm_cmpeq_epi8(letters, _mm_set1_epi8(0x7f));
        const __m128i is_good = _mm_andnot_si128(is_delete, _mm_cmpgt_epi8(letters, _mm_set1_epi8(' ')));
        return static_cast<size_t>(std::countr_one(static_cast<uint32_t>(_mm_movemask_epi8(is_good))));
    };
    size_t i = 0;
    for (; i + k_at_once <= text.size(); i += k_at_once) {
        const size_t good = printable_from(i);
        if (good != k_at_once) return i + good;
    }
    // The last sixteen overlap those before, which are all printable.
    if (i != 0 && i != text.size()) return text.size() - k_at_once + printable_from(text.size() - k_at_once);
    while (i < text.size() && text[i] > ' ' && text[i] <= '~') ++i;
    return i;
}

}  // namespace gannet::data::fastq
