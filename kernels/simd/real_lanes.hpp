// SPDX-License-Identifier: MIT
// Provides the floating-point lane types of the instruction set that is compiled for, AVX2 with FMA or
// AVX-512.
//
// Only for sources that gannet_isa_sources() compiles; see integer_lanes.hpp.
#pragma once

#include "kernels/simd/integer_lanes.hpp"

namespace gannet::kernels::GANNET_ISA {

// load and store want aligned memory. select_by_bit() takes `yes` in the lanes of which bit `top - code` is
// set in `bits`, where `top` is the highest bit of a lane; where_less() is 0 in lanes whose `limit` is not
// above `value`. The operations are those of IEEE 754, one rounding each; fma() has one rounding in all.

#if defined(GANNET_ISA_avx512)

struct Floats {
    using Real = float;
    static constexpr uint32_t k_lanes = 16;
    __m512 v;

    static Floats load(const float* from) { return {_mm512_load_ps(from)}; }
    static Floats all(float value) { return {_mm512_set1_ps(value)}; }
    void store(float* to) const { _mm512_store_ps(to, v); }
    static Floats select_by_bit(Vector bits, Vector code, Floats yes, Floats no) {
        return {_mm512_mask_blend_ps(_mm512_movepi32_mask(_mm512_sllv_epi32(bits, code)), no.v, yes.v)};
    }
    Floats where_less(uint32_t value, Vector limit) const {
        return {_mm512_maskz_mov_ps(
            _mm512_cmplt_epi32_mask(_mm512_set1_epi32(static_cast<int>(value)), limit), v)};
    }
};
inline Floats operator*(Floats a, Floats b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline Floats operator+(Floats a, Floats b) { return {_mm512_add_ps(a.v, b.v)}; }
inline Floats fma(Floats a, Floats b, Floats c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }

struct Doubles {
    using Real = double;
    static constexpr uint32_t k_lanes = 8;
    __m512d v;

    static Doubles load(const double* from) { return {_mm512_load_pd(from)}; }
    static Doubles all(double value) { return {_mm512_set1_pd(value)}; }
    void store(double* to) const { _mm512_store_pd(to, v); }
    static Doubles select_by_bit(Vector bits, Vector code, Doubles yes, Doubles no) {
        return {_mm512_mask_blend_pd(_mm512_movepi64_mask(_mm512_sllv_epi64(bits, code)), no.v, yes.v)};
    }
    Doubles where_less(uint32_t value, Vector limit) const {
        return {_mm512_maskz_mov_pd(_mm512_cmplt_epi64_mask(_mm512_set1_epi64(value), limit), v)};
    }
};
inline Doubles operator*(Doubles a, Doubles b) { return {_mm512_mul_pd(a.v, b.v)}; }
inline Doubles operator+(Doubles a, Doubles b) { return {_mm512_add_pd(a.v, b.v)}; }
inline Doubles fma(Doubles a, Doubles b, Doubles c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }

#elif defined(GANNET_ISA_avx2)

struct Floats {
    using Real = float;
    static constexpr uint32_t k_lanes = 8;
    __m256 v;

    static Floats load(const float* from) { return {_mm256_load_ps(from)}; }
    static Floats all(float value) { return {_mm256_set1_ps(value)}; }
    void store(float* to) const { _mm256_store_ps(to, v); }
    static Floats select_by_bit(Vector bits, Vector code, Floats yes, Floats no) {
        return {_mm256_blendv_ps(no.v, yes.v, _mm256_castsi256_ps(_mm256_sllv_epi32(bits, code)))};
    }
    Floats where_less(uint32_t value, Vector limit) const {
        const __m256i mask = _mm256_cmpgt_epi32(limit, _mm256_set1_epi32(static_cast<int>(value)));
        return {_mm256_and_ps(v, _mm256_castsi256_ps(mask))};
    }
};
inline Floats operator*(Floats a, Floats b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline Floats operator+(Floats a, Floats b) { return {_mm256_add_ps(a.v, b.v)}; }
inline Floats fma(Floats a, Floats b, Floats c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }

struct Doubles {
    using Real = double;
    static constexpr uint32_t k_lanes = 4;
    __m256d v;

    static Doubles load(const double* from) { return {_mm256_load_pd(from)}; }
    static Doubles all(double value) { return {_mm256_set1_pd(value)}; }
    void store(double* to) const { _mm256_store_pd(to, v); }
    static Doubles select_by_bit(Vector bits, Vector code, Doubles yes, Doubles no) {
        return {_mm256_blendv_pd(no.v, yes.v, _mm256_castsi256_pd(_mm256_sllv_epi64(bits, code)))};
    }
    Doubles where_less(uint32_t value, Vector limit) const {
        const __m256i mask = _mm256_cmpgt_epi64(limit, _mm256_set1_epi64x(value));
        return {_mm256_and_pd(v, _mm256_castsi256_pd(mask))};
    }
};
inline Doubles operator*(Doubles a, Doubles b) { return {_mm256_mul_pd(a.v, b.v)}; }
inline Doubles operator+(Doubles a, Doubles b) { return {_mm256_add_pd(a.v, b.v)}; }
inline Doubles fma(Doubles a, Doubles b, Doubles c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }

#endif

}  // namespace gannet::kernels::GANNET_ISA
