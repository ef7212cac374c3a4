// SPDX-License-Identifier: MIT
// Provides the lane types of banded_sw for the instruction set that is compiled for: unsigned bytes and
// words. Only for sources that gannet_isa_sources() compiles; everything is in the namespace of the ISA.
#pragma once

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

#if defined(GANNET_ISA_avx512)

inline Vector load_vector(const void* from) { return _mm512_load_si512(from); }
inline void store_vector(void* to, Vector v) { _mm512_store_si512(to, v); }
inline Bytes broadcast(Bytes, uint32_t value) { return {_mm512_set1_epi8(static_cast<char>(value))}; }
inline Words broadcast(Words, uint32_t value) { return {_mm512_set1_epi16(static_cast<short>(value))}; }
inline Bytes plus(Bytes a, Bytes b) { return {_mm512_adds_epu8(a.v, b.v)}; }
inline Words plus(Words a, Words b) { return {_mm512_adds_epu16(a.v, b.v)}; }
inline Bytes minus(Bytes a, Bytes b) { return {_mm512_subs_epu8(a.v, b.v)}; }
inline Words minus(Words a, Words b) { return {_mm512_subs_epu16(a.v, b.v)}; }
inline Bytes lesser(Bytes a, Bytes b) { return {_mm512_min_epu8(a.v, b.v)}; }
inline Words lesser(Words a, Words b) { return {_mm512_min_epu16(a.v, b.v)}; }
inline Bytes equal(Bytes a, Bytes b) { return {_mm512_movm_epi8(_mm512_cmpeq_epi8_mask(a.v, b.v))}; }
inline Words equal(Words a, Words b) { return {_mm512_movm_epi16(_mm512_cmpeq_epi16_mask(a.v, b.v))}; }
inline Vector and_bits(Vector a, Vector b) { return _mm512_and_si512(a, b); }
inline Vector or_bits(Vector a, Vector b) { return _mm512_or_si512(a, b); }
inline Vector xor_bits(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
inline Vector and_not(Vector not_these, Vector b) { return _mm512_andnot_si512(not_these, b); }
inline Vector lookup(Vector table, Vector index) { return _mm512_shuffle_epi8(table, index); }
inline Vector repeat(__m128i v) { return _mm512_broadcast_i32x4(v); }
inline Vector widen(const void* bytes) {
    return _mm512_cvtepu8_epi16(_mm256_load_si256(static_cast<const __m256i*>(bytes)));
}
inline uint64_t lane_mask(Bytes a) { return _mm512_movepi8_mask(a.v); }
inline uint64_t lane_mask(Words a) { return _mm512_movepi16_mask(a.v); }

#elif defined(GANNET_ISA_avx2)

inline Vector load_vector(const void* from) { return _mm256_load_si256(static_cast<const Vector*>(from)); }
inline void store_vector(void* to, Vector v) { _mm256_store_si256(static_cast<Vector*>(to), v); }
inline Bytes broadcast(Bytes, uint32_t value) { return {_mm256_set1_epi8(static_cast<char>(value))}; }
inline Words broadcast(Words, uint32_t value) { return {_mm256_set1_epi16(static_cast<short>(value))}; }
inline Bytes plus(Bytes a, Bytes b) { return {_mm256_adds_epu8(a.v, b.v)}; }
inline Words plus(Words a, Words b) { return {_mm256_adds_epu16(a.v, b.v)}; }
inline Bytes minus(Bytes a, Bytes b) { return {_mm256_subs_epu8(a.v, b.v)}; }
inline Words minus(Words a, Words b) { return {_mm256_subs_epu16(a.v, b.v)}; }
inline Bytes lesser(Bytes a, Bytes b) { return {_mm256_min_epu8(a.v, b.v)}; }
inline Words lesser(Words a, Words b) { return {_mm256_min_epu16(a.v, b.v)}; }
inline Bytes equal(Bytes a, Bytes b) { return {_mm256_cmpeq_epi8(a.v, b.v)}; }
inline Words equal(Words a, Words b) { return {_mm256_cmpeq_epi16(a.v, b.v)}; }
inline Vector and_bits(Vector a, Vector b) { return _mm256_and_si256(a, b); }
inline Vector or_bits(Vector a, Vector b) { return _mm256_or_si256(a, b); }
inline Vector xor_bits(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
inline Vector and_not(Vector not_these, Vector b) { return _mm256_andnot_si256(not_these, b); }
inline Vector lookup(Vector table, Vector index) { return _mm256_shuffle_epi8(table, index); }
inline Vector repeat(__m128i v) { return _mm256_broadcastsi128_si256(v); }
inline Vector widen(const void* bytes) {
    return _mm256_cvtepu8_epi16(_mm_load_si128(static_cast<const __m128i*>(bytes)));
}
inline uint64_t lane_mask(Bytes a) { return static_cast<uint32_t>(_mm256_movemask_epi8(a.v)); }
inline uint64_t lane_mask(Words a) {
    const __m128i packed = _mm_packs_epi16(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
    return static_cast<uint32_t>(_mm_movemask_epi8(packed));
}

#else

inline Vector load_vector(const void* from) { return _mm_load_si128(static_cast<const Vector*>(from)); }
inline void store_vector(void* to, Vector v) { _mm_store_si128(static_cast<Vector*>(to), v); }
inline Bytes broadcast(Bytes, uint32_t value) { return {_mm_set1_epi8(static_cast<char>(value))}; }
inline Words broadcast(Words, uint32_t value) { return {_mm_set1_epi16(static_cast<short>(value))}; }
inline Bytes plus(Bytes a, Bytes b) { return {_mm_adds_epu8(a.v, b.v)}; }
inline Words plus(Words a, Words b) { return {_mm_adds_epu16(a.v, b.v)}; }
inline Bytes minus(Bytes a, Bytes b) { return {_mm_subs_epu8(a.v, b.v)}; }
inline Words minus(Words a, Words b) { return {_mm_subs_epu16(a.v, b.v)}; }
inline Bytes lesser(Bytes a, Bytes b) { return {_mm_min_epu8(a.v, b.v)}; }
inline Words lesser(Words a, Words b) { return {_mm_min_epu16(a.v, b.v)}; }
inline Bytes equal(Bytes a, Bytes b) { return {_mm_cmpeq_epi8(a.v, b.v)}; }
inline Words equal(Words a, Words b) { return {_mm_cmpeq_epi16(a.v, b.v)}; }
inline Vector and_bits(Vector a, Vector b) { return _mm_and_si128(a, b); }
inline Vector or_bits(Vector a, Vector b) { return _mm_or_si128(a, b); }
inline Vector xor_bits(Vector a, Vector b) { return _mm_xor_si128(a, b); }
inline Vector and_not(Vector not_these, Vector b) { return _mm_andnot_si128(not_these, b); }
inline Vector lookup(Vector table, Vector index) { return _mm_shuffle_epi8(table, index); }
inline Vector repeat(__m128i v) { return v; }
inline Vector widen(const void* bytes) {
    return _mm_cvtepu8_epi16(_mm_loadl_epi64(static_cast<const __m128i*>(bytes)));
}
inline uint64_t lane_mask(Bytes a) { return static_cast<uint32_t>(_mm_movemask_epi8(a.v)); }
inline uint64_t lane_mask(Words a) {
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(a.v, _mm_setzero_si128())));
}

#endif

/// The lane type's own operations, written by means of those of the instruction set.
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
