// SPDX-License-Identifier: MIT
// Provides the remainders of short texts by carry-less products, for AVX-512 with VPCLMULQDQ.
//
// Compiled for an ISA: everything is in its namespace and nothing of the standard library is instantiated.
#include "pipeline/qc/text_sums.hpp"

#include <immintrin.h>

namespace gannet::pipeline::qc::GANNET_ISA {
namespace {

constexpr int k_firsts = 0x00;  // halves of lanes that are multiplied
constexpr int k_lasts = 0x11;

[[gnu::target("vpclmulqdq")]] inline __m512i times(__m512i lanes, __m512i factors) {
    return _mm512_xor_si512(_mm512_clmulepi64_epi128(lanes, factors, k_firsts),
                            _mm512_clmulepi64_epi128(lanes, factors, k_lasts));
}

/// Four lanes, whose sum has the text's remainder. Vectors end where the text does, since zeros in front of
/// it add nothing.
[[gnu::target("vpclmulqdq")]] inline __m512i folded(SummedText text, const FoldFactors& factors) {
    __m512i sum = _mm512_setzero_si512();
    const uint8_t* at = text.bytes + text.size;
    size_t vector = 0;
    for (size_t left = text.size; left > 0; ++vector) {
        const size_t here = left < k_sum_vector_bytes ? left : k_sum_vector_bytes;
        const __mmask64 mask = ~uint64_t{0} << (k_sum_vector_bytes - here);
        at -= k_sum_vector_bytes;
        left -= here;
        sum = _mm512_xor_si512(
            sum, times(_mm512_maskz_loadu_epi8(mask, at), _mm512_load_si512(factors.of[vector])));
    }
    return sum;
}

inline __m512i each(uint64_t first, uint64_t last) {
    return _mm512_broadcast_i32x4(_mm_set_epi64x(static_cast<int64_t>(last), static_cast<int64_t>(first)));
}

/// Of 128 bits in each lane to 32 in its second word: by 64 bits, by 32, then Barrett's way.
[[gnu::target("vpclmulqdq")]] inline __m512i reduced(__m512i lanes) {
    const __m512i factors = each(0xccaa009e, 0x163cd6124);      // x^96 and x^64
    const __m512i polynomial = each(0x1db710641, 0x1f7011641);  // and the quotient of x^64 by it
    const __m512i low_words = each(0x00000000ffffffff, 0);
    lanes = _mm512_xor_si512(_mm512_clmulepi64_epi128(lanes, factors, 0x00), _mm512_bsrli_epi128(lanes, 8));
    lanes = _mm512_xor_si512(_mm512_clmulepi64_epi128(_mm512_and_si512(lanes, low_words), factors, 0x10),
                             _mm512_bsrli_epi128(lanes, 4));
    const __m512i quotient = _mm512_clmulepi64_epi128(_mm512_and_si512(lanes, low_words), polynomial, 0x10);
    return _mm512_xor_si512(
        lanes, _mm512_clmulepi64_epi128(_mm512_and_si512(quotient, low_words), polynomial, 0x00));
}

}  // namespace

[[gnu::target("vpclmulqdq")]] void fold_texts(const SummedText (&texts)[3], const FoldFactors& factors,
                                              uint32_t (&remainders)[3]) {
    const __m512i a = folded(texts[0], factors);
    const __m512i b = folded(texts[1], factors);
    const __m512i c = folded(texts[2], factors);
    // The four lanes of each are added up, to one lane per text.
    const __m512i ab = _mm512_xor_si512(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee));
    const __m512i cc = _mm512_xor_si512(c, _mm512_shuffle_i64x2(c, c, 0x4e));
    const __m512i lanes =
        reduced(_mm512_xor_si512(_mm512_shuffle_i64x2(ab, cc, 0x88), _mm512_shuffle_i64x2(ab, cc, 0xdd)));
    remainders[0] = static_cast<uint32_t>(_mm_extract_epi32(_mm512_castsi512_si128(lanes), 1));
    remainders[1] = static_cast<uint32_t>(_mm_extract_epi32(_mm512_extracti32x4_epi32(lanes, 1), 1));
    remainders[2] = static_cast<uint32_t>(_mm_extract_epi32(_mm512_extracti32x4_epi32(lanes, 2), 1));
}

}  // namespace gannet::pipeline::qc::GANNET_ISA
