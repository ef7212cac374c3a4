// SPDX-License-Identifier: MIT
// Provides the vector kernels of the op pair_hmm, one pair a lane; compiled once for AVX2 and once for
// AVX-512.
#include "kernels/pair_hmm/pair_hmm_strip.hpp"

#include <immintrin.h>

namespace gannet::kernels::GANNET_ISA {

namespace {

#ifdef GANNET_ISA_avx512

struct FloatLane {
    using Real = float;
    using Codes = __m512i;
    static constexpr uint32_t k_lanes = 16;
    __m512 v;

    static FloatLane load(const float* p) { return {_mm512_load_ps(p)}; }
    static FloatLane all(float x) { return {_mm512_set1_ps(x)}; }
    void store(float* p) const { _mm512_store_ps(p, v); }
    static Codes load_codes(const uint32_t* p) { return _mm512_load_si512(p); }
    static Codes load_accepts(const float* p) { return _mm512_load_si512(p); }
    static FloatLane prior(Codes accepts, Codes code, FloatLane match, FloatLane mismatch) {
        return {_mm512_mask_blend_ps(_mm512_movepi32_mask(_mm512_sllv_epi32(accepts, code)), mismatch.v,
                                     match.v)};
    }
    FloatLane where_less(uint32_t column, Codes length) const {
        return {_mm512_maskz_mov_ps(
            _mm512_cmplt_epi32_mask(_mm512_set1_epi32(static_cast<int>(column)), length), v)};
    }
};
inline FloatLane operator*(FloatLane a, FloatLane b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline FloatLane operator+(FloatLane a, FloatLane b) { return {_mm512_add_ps(a.v, b.v)}; }
inline FloatLane fma(FloatLane a, FloatLane b, FloatLane c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }

struct DoubleLane {
    using Real = double;
    using Codes = __m512i;
    static constexpr uint32_t k_lanes = 8;
    __m512d v;

    static DoubleLane load(const double* p) { return {_mm512_load_pd(p)}; }
    static DoubleLane all(double x) { return {_mm512_set1_pd(x)}; }
    void store(double* p) const { _mm512_store_pd(p, v); }
    static Codes load_codes(const uint64_t* p) { return _mm512_load_si512(p); }
    static Codes load_accepts(const double* p) { return _mm512_load_si512(p); }
    static DoubleLane prior(Codes accepts, Codes code, DoubleLane match, DoubleLane mismatch) {
        return {_mm512_mask_blend_pd(_mm512_movepi64_mask(_mm512_sllv_epi64(accepts, code)), mismatch.v,
                                     match.v)};
    }
    DoubleLane where_less(uint32_t column, Codes length) const {
        return {_mm512_maskz_mov_pd(_mm512_cmplt_epi64_mask(_mm512_set1_epi64(column), length), v)};
    }
};
inline DoubleLane operator*(DoubleLane a, DoubleLane b) { return {_mm512_mul_pd(a.v, b.v)}; }
inline DoubleLane operator+(DoubleLane a, DoubleLane b) { return {_mm512_add_pd(a.v, b.v)}; }
inline DoubleLane fma(DoubleLane a, DoubleLane b, DoubleLane c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }

#else

struct FloatLane {
    using Real = float;
    using Codes = __m256i;
    static constexpr uint32_t k_lanes = 8;
    __m256 v;

    static FloatLane load(const float* p) { return {_mm256_load_ps(p)}; }
    static FloatLane all(float x) { return {_mm256_set1_ps(x)}; }
    void store(float* p) const { _mm256_store_ps(p, v); }
    static Codes load_codes(const uint32_t* p) {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
    }
    static Codes load_accepts(const float* p) {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
    }
    static FloatLane prior(Codes accepts, Codes code, FloatLane match, FloatLane mismatch) {
        return {_mm256_blendv_ps(mismatch.v, match.v, _mm256_castsi256_ps(_mm256_sllv_epi32(accepts, code)))};
    }
    FloatLane where_less(uint32_t column, Codes length) const {
        const __m256i mask = _mm256_cmpgt_epi32(length, _mm256_set1_epi32(static_cast<int>(column)));
        return {_mm256_and_ps(v, _mm256_castsi256_ps(mask))};
    }
};
inline FloatLane operator*(FloatLane a, FloatLane b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline FloatLane operator+(FloatLane a, FloatLane b) { return {_mm256_add_ps(a.v, b.v)}; }
inline FloatLane fma(FloatLane a, FloatLane b, FloatLane c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }

struct DoubleLane {
    using Real = double;
    using Codes = __m256i;
    static constexpr uint32_t k_lanes = 4;
    __m256d v;

    static DoubleLane load(const double* p) { return {_mm256_load_pd(p)}; }
    static DoubleLane all(double x) { return {_mm256_set1_pd(x)}; }
    void store(double* p) const { _mm256_store_pd(p, v); }
    static Codes load_codes(const uint64_t* p) {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
    }
    static Codes load_accepts(const double* p) {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
    }
    static DoubleLane prior(Codes accepts, Codes code, DoubleLane match, DoubleLane mismatch) {
        return {_mm256_blendv_pd(mismatch.v, match.v, _mm256_castsi256_pd(_mm256_sllv_epi64(accepts, code)))};
    }
    DoubleLane where_less(uint32_t column, Codes length) const {
        const __m256i mask = _mm256_cmpgt_epi64(length, _mm256_set1_epi64x(column));
        return {_mm256_and_pd(v, _mm256_castsi256_pd(mask))};
    }
};
inline DoubleLane operator*(DoubleLane a, DoubleLane b) { return {_mm256_mul_pd(a.v, b.v)}; }
inline DoubleLane operator+(DoubleLane a, DoubleLane b) { return {_mm256_add_pd(a.v, b.v)}; }
inline DoubleLane fma(DoubleLane a, DoubleLane b, DoubleLane c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }

#endif

/// k_strip_rows rows of all pairs along their haplotypes. `state` holds m, g and s of the row above by
/// column, and then of the last row.
/// Rows that are not `k_padded` extend all gaps alike.
template <class Lane, bool k_padded>
void sweep(const typename Lane::Real* rows, const pair_hmm::Strip<typename Lane::Real>& strip) {
    using Real = typename Lane::Real;
    using namespace pair_hmm;
    constexpr uint32_t k_rows = k_strip_rows;
    const auto vector = [rows](uint32_t row, RowVector which) {
        return rows + (row * k_row_vectors + which) * Lane::k_lanes;
    };
    const Lane floor = Lane::all(Law<Real>::floor);
    const Lane extend = Lane::all(static_cast<Real>(k_extend));
    Real* state = strip.state;
    Lane above_m = Lane::load(state);
    Lane above_s = Lane::load(state + 2 * Lane::k_lanes);
    Lane m[k_rows], d[k_rows], s[k_rows];
    for (uint32_t k = 0; k < k_rows; ++k) {
        m[k] = Lane::all(0);
        d[k] = Lane::load(vector(k, k_first_deletion));
        s[k] = floor + d[k];
    }
    m[k_rows - 1].store(state);
    s[k_rows - 1].store(state + 2 * Lane::k_lanes);
    for (uint32_t column = 0; column < strip.columns; ++column) {
        state += 3 * Lane::k_lanes;
        const auto code = Lane::load_codes(strip.haplotype_codes + column * Lane::k_lanes);
        Lane diagonal_m = above_m;
        Lane diagonal_s = above_s;
        above_m = Lane::load(state);
        above_s = Lane::load(state + 2 * Lane::k_lanes);
        Lane up_m = above_m;
        Lane g = Lane::load(state + Lane::k_lanes);
#pragma GCC unroll 8
        for (uint32_t k = 0; k < k_rows; ++k) {
            const Lane open = Lane::load(vector(k, k_open));
            const Lane prior = Lane::prior(Lane::load_accepts(vector(k, k_accepts)), code,
                                           Lane::load(vector(k, k_match)), Lane::load(vector(k, k_mismatch)));
            g = gap_state(open, k_padded ? Lane::load(vector(k, k_extend_insertion)) : extend, floor, up_m,
                          g);
            d[k] = gap_state(open, k_padded ? Lane::load(vector(k, k_extend_deletion)) : extend, floor, m[k],
                             d[k]);
            const Lane left_m = m[k];
            const Lane left_s = s[k];
            m[k] = match_state(prior, Lane::load(vector(k, k_stay)), diagonal_m, diagonal_s);
            s[k] = g + d[k];
            diagonal_m = left_m;
            diagonal_s = left_s;
            up_m = m[k];
        }
        m[k_rows - 1].store(state);
        g.store(state + Lane::k_lanes);
        s[k_rows - 1].store(state + 2 * Lane::k_lanes);
    }
}

template <class Lane>
void run(const pair_hmm::Strip<typename Lane::Real>& strip) {
    using Real = typename Lane::Real;
    using namespace pair_hmm;
    const Lane floor = Lane::all(Law<Real>::floor);
    const Lane start = Lane::load(strip.start);
    Real* state = strip.state;
    for (uint32_t column = 0; column <= strip.columns; ++column, state += 3 * Lane::k_lanes) {
        Lane::all(0).store(state);
        floor.store(state + Lane::k_lanes);
        (floor + start).store(state + 2 * Lane::k_lanes);
    }
    const uint32_t row_reals = k_row_vectors * Lane::k_lanes;
    for (uint32_t row = 0; row < strip.rows; row += k_strip_rows) {
        const Real* rows = strip.row_values + static_cast<uint64_t>(row) * row_reals;
        if (row < strip.padded_rows)
            sweep<Lane, true>(rows, strip);
        else
            sweep<Lane, false>(rows, strip);
    }

    const auto length = Lane::load_codes(strip.haplotype_length);
    Lane sum_m = Lane::all(0);
    Lane sum_g = Lane::all(0);
    state = strip.state;
    for (uint32_t column = 0; column < strip.columns; ++column) {
        state += 3 * Lane::k_lanes;
        sum_m = sum_m + Lane::load(state).where_less(column, length);
        sum_g = sum_g + Lane::load(state + Lane::k_lanes).where_less(column, length);
    }
    fma(sum_g, Lane::all(static_cast<Real>(k_unclose)), sum_m).store(strip.total);
}

}  // namespace

void pair_hmm_strip(const pair_hmm::Strip<float>& strip) { run<FloatLane>(strip); }
void pair_hmm_strip(const pair_hmm::Strip<double>& strip) { run<DoubleLane>(strip); }

}  // namespace gannet::kernels::GANNET_ISA
