// SPDX-License-Identifier: MIT
// Provides the integer lane types of the instruction set that is compiled for: unsigned bytes and words with
// saturation, and 32-bit integers.
//
// Only for sources that gannet_isa_sources() compiles. Everything is in the namespace of the ISA, so that no
// copy of it can be linked into code for other CPUs (tests/layers/check_isa_symbols.py).
#pragma once

#ifndef GANNET_ISA
#error "only for sources that gannet_isa_sources() compiles"
#endif

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

namespace gannet::kernels::GANNET_ISA {

#if defined(GANNET_ISA_avx512)
using Vector = __m512i;
#elif defined(GANNET_ISA_avx2)
using Vector = __m256i;
#else
using Vector = __m128i;
#endif

struct Bytes {
    using Element = uint8_t;
    static constexpr uint32_t k_lanes = sizeof(Vector);
    Vector v;
};

struct Words {
    using Element = uint16_t;
    static constexpr uint32_t k_lanes = sizeof(Vector) / 2;
    Vector v;
};

struct Ints {
    using Element = int32_t;
    static constexpr uint32_t k_lanes = sizeof(Vector) / 4;
    Vector v;
};

// Vectors: load_vector and store_vector want aligned memory, the others take any. lookup() is the byte
// shuffle within each 16 bytes, widen() makes words of bytes. Lanes: plus and minus saturate in Bytes and
// Words and wrap in Ints; equal gives all ones where it holds, plus_where_equal adds 1 there and wraps;
// lane_mask has a bit for each lane; high_nibbles are the upper four bits of each byte. dot() adds
// four products of unsigned bytes and signed weights into each integer: sums of two have to fit 16 bits.
// scaled() is truncate(value * scale + 0.5) in doubles. bytes_of() saturates 16 integers to bytes.

#if defined(GANNET_ISA_avx512)

inline Vector load_vector(const void* from) { return _mm512_load_si512(from); }
inline void store_vector(void* to, Vector v) { _mm512_store_si512(to, v); }
inline Vector load_unaligned(const void* from) { return _mm512_loadu_si512(from); }
inline void store_unaligned(void* to, Vector v) { _mm512_storeu_si512(to, v); }
inline Vector and_bits(Vector a, Vector b) { return _mm512_and_si512(a, b); }
inline Vector or_bits(Vector a, Vector b) { return _mm512_or_si512(a, b); }
inline Vector xor_bits(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
inline Vector and_not(Vector not_these, Vector b) { return _mm512_andnot_si512(not_these, b); }
inline Vector lookup(Vector table, Vector index) { return _mm512_shuffle_epi8(table, index); }
inline Vector high_nibbles(Vector v) {
    return _mm512_and_si512(_mm512_srli_epi16(v, 4), _mm512_set1_epi8(15));
}
inline Vector repeat(__m128i v) { return _mm512_broadcast_i32x4(v); }
inline Vector widen(const void* bytes) {
    return _mm512_cvtepu8_epi16(_mm256_load_si256(static_cast<const __m256i*>(bytes)));
}

inline Bytes broadcast(Bytes, uint32_t value) { return {_mm512_set1_epi8(static_cast<char>(value))}; }
inline Bytes plus(Bytes a, Bytes b) { return {_mm512_adds_epu8(a.v, b.v)}; }
inline Bytes minus(Bytes a, Bytes b) { return {_mm512_subs_epu8(a.v, b.v)}; }
inline Bytes lesser(Bytes a, Bytes b) { return {_mm512_min_epu8(a.v, b.v)}; }
inline Bytes equal(Bytes a, Bytes b) { return {_mm512_movm_epi8(_mm512_cmpeq_epi8_mask(a.v, b.v))}; }
inline Bytes plus_where_equal(Bytes sum, Bytes a, Bytes b) {
    return {_mm512_mask_sub_epi8(sum.v, _mm512_cmpeq_epi8_mask(a.v, b.v), sum.v, _mm512_set1_epi8(-1))};
}
inline uint64_t lane_mask(Bytes a) { return _mm512_movepi8_mask(a.v); }

inline Words broadcast(Words, uint32_t value) { return {_mm512_set1_epi16(static_cast<short>(value))}; }
inline Words plus(Words a, Words b) { return {_mm512_adds_epu16(a.v, b.v)}; }
inline Words minus(Words a, Words b) { return {_mm512_subs_epu16(a.v, b.v)}; }
inline Words lesser(Words a, Words b) { return {_mm512_min_epu16(a.v, b.v)}; }
inline Words equal(Words a, Words b) { return {_mm512_movm_epi16(_mm512_cmpeq_epi16_mask(a.v, b.v))}; }
inline uint64_t lane_mask(Words a) { return _mm512_movepi16_mask(a.v); }

inline Ints broadcast(Ints, int32_t value) { return {_mm512_set1_epi32(value)}; }
inline Ints plus(Ints a, Ints b) { return {_mm512_add_epi32(a.v, b.v)}; }
inline Ints dot(Bytes inputs, Bytes weights, Words ones) {
    return {_mm512_madd_epi16(_mm512_maddubs_epi16(inputs.v, weights.v), ones.v)};
}
inline Ints clamped(Ints sum, Ints limit) {
    return {_mm512_min_epi32(_mm512_max_epi32(sum.v, _mm512_setzero_si512()), limit.v)};
}
inline Ints scaled(Ints value, const double* scale) {
    const __m512d half = _mm512_set1_pd(0.5);
    const __m512d low = _mm512_cvtepi32_pd(_mm512_castsi512_si256(value.v));
    const __m512d high = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(value.v, 1));
    const __m256i a = _mm512_cvttpd_epi32(_mm512_fmadd_pd(low, _mm512_loadu_pd(scale), half));
    const __m256i b = _mm512_cvttpd_epi32(_mm512_fmadd_pd(high, _mm512_loadu_pd(scale + 8), half));
    return {_mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1)};
}
inline __m128i bytes_of(const Ints* block) { return _mm512_cvtusepi32_epi8(block[0].v); }

#elif defined(GANNET_ISA_avx2)

inline Vector load_vector(const void* from) { return _mm256_load_si256(static_cast<const Vector*>(from)); }
inline void store_vector(void* to, Vector v) { _mm256_store_si256(static_cast<Vector*>(to), v); }
inline Vector load_unaligned(const void* from) {
    return _mm256_loadu_si256(static_cast<const Vector*>(from));
}
inline void store_unaligned(void* to, Vector v) { _mm256_storeu_si256(static_cast<Vector*>(to), v); }
inline Vector and_bits(Vector a, Vector b) { return _mm256_and_si256(a, b); }
inline Vector or_bits(Vector a, Vector b) { return _mm256_or_si256(a, b); }
inline Vector xor_bits(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
inline Vector and_not(Vector not_these, Vector b) { return _mm256_andnot_si256(not_these, b); }
inline Vector lookup(Vector table, Vector index) { return _mm256_shuffle_epi8(table, index); }
inline Vector high_nibbles(Vector v) {
    return _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
}
inline Vector repeat(__m128i v) { return _mm256_broadcastsi128_si256(v); }
inline Vector widen(const void* bytes) {
    return _mm256_cvtepu8_epi16(_mm_load_si128(static_cast<const __m128i*>(bytes)));
}

inline Bytes broadcast(Bytes, uint32_t value) { return {_mm256_set1_epi8(static_cast<char>(value))}; }
inline Bytes plus(Bytes a, Bytes b) { return {_mm256_adds_epu8(a.v, b.v)}; }
inline Bytes minus(Bytes a, Bytes b) { return {_mm256_subs_epu8(a.v, b.v)}; }
inline Bytes lesser(Bytes a, Bytes b) { return {_mm256_min_epu8(a.v, b.v)}; }
inline Bytes equal(Bytes a, Bytes b) { return {_mm256_cmpeq_epi8(a.v, b.v)}; }
inline Bytes plus_where_equal(Bytes sum, Bytes a, Bytes b) {
    return {_mm256_sub_epi8(sum.v, _mm256_cmpeq_epi8(a.v, b.v))};
}
inline uint64_t lane_mask(Bytes a) { return static_cast<uint32_t>(_mm256_movemask_epi8(a.v)); }

inline Words broadcast(Words, uint32_t value) { return {_mm256_set1_epi16(static_cast<short>(value))}; }
inline Words plus(Words a, Words b) { return {_mm256_adds_epu16(a.v, b.v)}; }
inline Words minus(Words a, Words b) { return {_mm256_subs_epu16(a.v, b.v)}; }
inline Words lesser(Words a, Words b) { return {_mm256_min_epu16(a.v, b.v)}; }
inline Words equal(Words a, Words b) { return {_mm256_cmpeq_epi16(a.v, b.v)}; }
inline uint64_t lane_mask(Words a) {
    const __m128i packed = _mm_packs_epi16(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
    return static_cast<uint32_t>(_mm_movemask_epi8(packed));
}

inline Ints broadcast(Ints, int32_t value) { return {_mm256_set1_epi32(value)}; }
inline Ints plus(Ints a, Ints b) { return {_mm256_add_epi32(a.v, b.v)}; }
inline Ints dot(Bytes inputs, Bytes weights, Words ones) {
    return {_mm256_madd_epi16(_mm256_maddubs_epi16(inputs.v, weights.v), ones.v)};
}
inline Ints clamped(Ints sum, Ints limit) {
    return {_mm256_min_epi32(_mm256_max_epi32(sum.v, _mm256_setzero_si256()), limit.v)};
}
inline Ints scaled(Ints value, const double* scale) {
    const __m256d half = _mm256_set1_pd(0.5);
    const __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(value.v));
    const __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(value.v, 1));
    const __m128i a = _mm256_cvttpd_epi32(_mm256_fmadd_pd(low, _mm256_loadu_pd(scale), half));
    const __m128i b = _mm256_cvttpd_epi32(_mm256_fmadd_pd(high, _mm256_loadu_pd(scale + 4), half));
    return {_mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1)};
}
inline __m128i bytes_of(const Ints* block) {
    const __m256i words = _mm256_packs_epi32(block[0].v, block[1].v);  // 0-3 8-11, 4-7 12-15
    const __m256i ordered = _mm256_permute4x64_epi64(words, 0xd8);
    return _mm_packus_epi16(_mm256_castsi256_si128(ordered), _mm256_extracti128_si256(ordered, 1));
}

#else

inline Vector load_vector(const void* from) { return _mm_load_si128(static_cast<const Vector*>(from)); }
inline void store_vector(void* to, Vector v) { _mm_store_si128(static_cast<Vector*>(to), v); }
inline Vector load_unaligned(const void* from) { return _mm_loadu_si128(static_cast<const Vector*>(from)); }
inline void store_unaligned(void* to, Vector v) { _mm_storeu_si128(static_cast<Vector*>(to), v); }
inline Vector and_bits(Vector a, Vector b) { return _mm_and_si128(a, b); }
inline Vector or_bits(Vector a, Vector b) { return _mm_or_si128(a, b); }
inline Vector xor_bits(Vector a, Vector b) { return _mm_xor_si128(a, b); }
inline Vector and_not(Vector not_these, Vector b) { return _mm_andnot_si128(not_these, b); }
inline Vector lookup(Vector table, Vector index) { return _mm_shuffle_epi8(table, index); }
inline Vector high_nibbles(Vector v) { return _mm_and_si128(_mm_srli_epi16(v, 4), _mm_set1_epi8(15)); }
inline Vector repeat(__m128i v) { return v; }
inline Vector widen(const void* bytes) {
    return _mm_cvtepu8_epi16(_mm_loadl_epi64(static_cast<const __m128i*>(bytes)));
}

inline Bytes broadcast(Bytes, uint32_t value) { return {_mm_set1_epi8(static_cast<char>(value))}; }
inline Bytes plus(Bytes a, Bytes b) { return {_mm_adds_epu8(a.v, b.v)}; }
inline Bytes minus(Bytes a, Bytes b) { return {_mm_subs_epu8(a.v, b.v)}; }
inline Bytes lesser(Bytes a, Bytes b) { return {_mm_min_epu8(a.v, b.v)}; }
inline Bytes equal(Bytes a, Bytes b) { return {_mm_cmpeq_epi8(a.v, b.v)}; }
inline Bytes plus_where_equal(Bytes sum, Bytes a, Bytes b) {
    return {_mm_sub_epi8(sum.v, _mm_cmpeq_epi8(a.v, b.v))};
}
inline uint64_t lane_mask(Bytes a) { return static_cast<uint32_t>(_mm_movemask_epi8(a.v)); }

inline Words broadcast(Words, uint32_t value) { return {_mm_set1_epi16(static_cast<short>(value))}; }
inline Words plus(Words a, Words b) { return {_mm_adds_epu16(a.v, b.v)}; }
inline Words minus(Words a, Words b) { return {_mm_subs_epu16(a.v, b.v)}; }
inline Words lesser(Words a, Words b) { return {_mm_min_epu16(a.v, b.v)}; }
inline Words equal(Words a, Words b) { return {_mm_cmpeq_epi16(a.v, b.v)}; }
inline uint64_t lane_mask(Words a) {
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(a.v, _mm_setzero_si128())));
}

inline Ints broadcast(Ints, int32_t value) { return {_mm_set1_epi32(value)}; }
inline Ints plus(Ints a, Ints b) { return {_mm_add_epi32(a.v, b.v)}; }
inline Ints dot(Bytes inputs, Bytes weights, Words ones) {
    return {_mm_madd_epi16(_mm_maddubs_epi16(inputs.v, weights.v), ones.v)};
}
inline Ints clamped(Ints sum, Ints limit) {
    return {_mm_min_epi32(_mm_max_epi32(sum.v, _mm_setzero_si128()), limit.v)};
}
inline Ints scaled(Ints value, const double* scale) {
    const __m128d half = _mm_set1_pd(0.5);
    const __m128d low = _mm_cvtepi32_pd(value.v);
    const __m128d high = _mm_cvtepi32_pd(_mm_unpackhi_epi64(value.v, value.v));
    const __m128i a = _mm_cvttpd_epi32(_mm_add_pd(_mm_mul_pd(low, _mm_loadu_pd(scale)), half));
    const __m128i b = _mm_cvttpd_epi32(_mm_add_pd(_mm_mul_pd(high, _mm_loadu_pd(scale + 2)), half));
    return {_mm_unpacklo_epi64(a, b)};
}
inline __m128i bytes_of(const Ints* block) {
    return _mm_packus_epi16(_mm_packs_epi32(block[0].v, block[1].v), _mm_packs_epi32(block[2].v, block[3].v));
}

#endif

template <class Lane>
inline Lane load(const void* from) {
    return {load_vector(from)};
}
template <class Lane>
inline Lane either(Lane a, Lane b) {
    return {or_bits(a.v, b.v)};
}
template <class Lane>
inline Lane both(Lane a, Lane b) {
    return {and_bits(a.v, b.v)};
}
/// `yes` in lanes where `mask` is all ones, `no` where it is 0.
template <class Lane>
inline Lane select(Lane mask, Lane yes, Lane no) {
    return {or_bits(and_bits(mask.v, yes.v), and_not(mask.v, no.v))};
}

}  // namespace gannet::kernels::GANNET_ISA
