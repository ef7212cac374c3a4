// SPDX-License-Identifier: MIT
// Provides the layers of pileup_network for one instruction set: tiles of windows x outputs in registers.
//
// Compiled once per ISA: everything is in the namespace of the ISA and nothing of the standard library is
// instantiated. A lane is an output. Four inputs of a window are broadcast to all lanes and multiplied by
// four weights of each output: maddubs gives sums of two products, which fit 16 bits as weights are at most
// 63, and madd by ones sums of four.
#include "kernels/pileup_network/pileup_network_tiles.hpp"

#include <immintrin.h>

namespace gannet::kernels::GANNET_ISA {

namespace {

using pileup::DenseJob;
using pileup::k_block;

#if defined(GANNET_ISA_avx512)

using Vector = __m512i;
constexpr uint32_t k_most_windows = 12;  ///< of a tile

inline Vector load(const void* from) { return _mm512_loadu_si512(from); }
inline void store(void* to, Vector v) { _mm512_storeu_si512(to, v); }
inline Vector spread(int32_t value) { return _mm512_set1_epi32(value); }
inline Vector spread_words(short value) { return _mm512_set1_epi16(value); }
inline Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
inline Vector dot(Vector inputs, Vector weights, Vector ones) {
    return _mm512_madd_epi16(_mm512_maddubs_epi16(inputs, weights), ones);
}
inline Vector clamped(Vector sum, Vector limit) {
    return _mm512_min_epi32(_mm512_max_epi32(sum, _mm512_setzero_si512()), limit);
}
inline Vector scaled(Vector sum, const double* scale) {
    const __m512d half = _mm512_set1_pd(0.5);
    const __m512d low = _mm512_cvtepi32_pd(_mm512_castsi512_si256(sum));
    const __m512d high = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(sum, 1));
    const __m256i a = _mm512_cvttpd_epi32(_mm512_fmadd_pd(low, _mm512_loadu_pd(scale), half));
    const __m256i b = _mm512_cvttpd_epi32(_mm512_fmadd_pd(high, _mm512_loadu_pd(scale + 8), half));
    return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}
inline __m128i bytes_of(const Vector* block) { return _mm512_cvtusepi32_epi8(block[0]); }

#elif defined(GANNET_ISA_avx2)

using Vector = __m256i;
constexpr uint32_t k_most_windows = 6;

inline Vector load(const void* from) { return _mm256_loadu_si256(static_cast<const Vector*>(from)); }
inline void store(void* to, Vector v) { _mm256_storeu_si256(static_cast<Vector*>(to), v); }
inline Vector spread(int32_t value) { return _mm256_set1_epi32(value); }
inline Vector spread_words(short value) { return _mm256_set1_epi16(value); }
inline Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
inline Vector dot(Vector inputs, Vector weights, Vector ones) {
    return _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, weights), ones);
}
inline Vector clamped(Vector sum, Vector limit) {
    return _mm256_min_epi32(_mm256_max_epi32(sum, _mm256_setzero_si256()), limit);
}
inline Vector scaled(Vector sum, const double* scale) {
    const __m256d half = _mm256_set1_pd(0.5);
    const __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(sum));
    const __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(sum, 1));
    const __m128i a = _mm256_cvttpd_epi32(_mm256_fmadd_pd(low, _mm256_loadu_pd(scale), half));
    const __m128i b = _mm256_cvttpd_epi32(_mm256_fmadd_pd(high, _mm256_loadu_pd(scale + 4), half));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
}
inline __m128i bytes_of(const Vector* block) {
    const __m256i words = _mm256_packs_epi32(block[0], block[1]);  // 0-3 8-11, 4-7 12-15
    const __m256i ordered = _mm256_permute4x64_epi64(words, 0xd8);
    return _mm_packus_epi16(_mm256_castsi256_si128(ordered), _mm256_extracti128_si256(ordered, 1));
}

#else

using Vector = __m128i;
constexpr uint32_t k_most_windows = 2;

inline Vector load(const void* from) { return _mm_loadu_si128(static_cast<const Vector*>(from)); }
inline void store(void* to, Vector v) { _mm_storeu_si128(static_cast<Vector*>(to), v); }
inline Vector spread(int32_t value) { return _mm_set1_epi32(value); }
inline Vector spread_words(short value) { return _mm_set1_epi16(value); }
inline Vector add(Vector a, Vector b) { return _mm_add_epi32(a, b); }
inline Vector dot(Vector inputs, Vector weights, Vector ones) {
    return _mm_madd_epi16(_mm_maddubs_epi16(inputs, weights), ones);
}
inline Vector clamped(Vector sum, Vector limit) {
    return _mm_min_epi32(_mm_max_epi32(sum, _mm_setzero_si128()), limit);
}
inline Vector scaled(Vector sum, const double* scale) {
    const __m128d half = _mm_set1_pd(0.5);
    const __m128d low = _mm_cvtepi32_pd(sum);
    const __m128d high = _mm_cvtepi32_pd(_mm_unpackhi_epi64(sum, sum));
    const __m128i a = _mm_cvttpd_epi32(_mm_add_pd(_mm_mul_pd(low, _mm_loadu_pd(scale)), half));
    const __m128i b = _mm_cvttpd_epi32(_mm_add_pd(_mm_mul_pd(high, _mm_loadu_pd(scale + 2)), half));
    return _mm_unpacklo_epi64(a, b);
}
inline __m128i bytes_of(const Vector* block) {
    return _mm_packus_epi16(_mm_packs_epi32(block[0], block[1]), _mm_packs_epi32(block[2], block[3]));
}

#endif

constexpr uint32_t k_lanes = sizeof(Vector) / 4;
constexpr uint32_t k_vectors = k_block / k_lanes;

/// Sums of k_windows windows from `inputs` on and of one block of outputs.
template <uint32_t k_windows>
[[gnu::always_inline]] inline void sum_tile(const DenseJob& job, const uint8_t* inputs, uint32_t block,
                                            Vector (&sums)[k_windows][k_vectors]) {
    const Vector ones = spread_words(1);
#pragma GCC unroll 16
    for (uint32_t w = 0; w < k_windows; ++w) {
#pragma GCC unroll 4
        for (uint32_t v = 0; v < k_vectors; ++v) sums[w][v] = load(job.bias + block * k_block + v * k_lanes);
    }
    const int8_t* weights = job.weights + static_cast<uint64_t>(block) * job.inputs * k_block;
    for (uint32_t i = 0; i < job.inputs; i += 4, weights += 4 * k_block) {
        Vector here[k_vectors];
#pragma GCC unroll 4
        for (uint32_t v = 0; v < k_vectors; ++v) here[v] = load(weights + v * sizeof(Vector));
#pragma GCC unroll 16
        for (uint32_t w = 0; w < k_windows; ++w) {
            int32_t quad;
            __builtin_memcpy(&quad, inputs + static_cast<uint64_t>(w) * job.window_bytes + i, 4);
            const Vector four = spread(quad);
#pragma GCC unroll 4
            for (uint32_t v = 0; v < k_vectors; ++v) sums[w][v] = add(sums[w][v], dot(four, here[v], ones));
        }
    }
}

/// Activations of a tile. A sum is cut at 0 and at the least sum that gives 255, which changes no activation;
/// so the quotient is far from the ends of 32 bits. The arithmetic in doubles is exact: a product has 40 bits
/// at most, and half a unit is one of its bits or lies within 40 bits of them.
template <uint32_t k_windows>
inline void dense_tile(const DenseJob& job, uint32_t window, uint32_t block) {
    Vector sums[k_windows][k_vectors];
    sum_tile<k_windows>(job, job.from + static_cast<uint64_t>(window) * job.window_bytes, block, sums);
    const uint32_t first = block * k_block;
#pragma GCC unroll 16
    for (uint32_t w = 0; w < k_windows; ++w) {
#pragma GCC unroll 4
        for (uint32_t v = 0; v < k_vectors; ++v) {
            const uint32_t output = first + v * k_lanes;
            sums[w][v] = scaled(clamped(sums[w][v], load(job.limit + output)), job.scale + output);
        }
        const __m128i bytes = bytes_of(sums[w]);
        uint8_t* const to = job.to + static_cast<uint64_t>(window + w) * job.output_bytes + first;
        if (first + k_block <= job.outputs)
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
        else
            _mm_storel_epi64(reinterpret_cast<__m128i*>(to), bytes);  // outputs are a multiple of 8
    }
}

template <uint32_t k_windows>
inline void dense_rest(const DenseJob& job, uint32_t window, uint32_t block) {
    if constexpr (k_windows > 0) {
        if (job.windows - window == k_windows)
            dense_tile<k_windows>(job, window, block);
        else
            dense_rest<k_windows - 1>(job, window, block);
    }
}

void dense(const DenseJob& job) {
    for (uint32_t block = 0; block * k_block < job.outputs; ++block) {
        uint32_t window = 0;
        for (; window + k_most_windows <= job.windows; window += k_most_windows)
            dense_tile<k_most_windows>(job, window, block);
        dense_rest<k_most_windows - 1>(job, window, block);
    }
}

void sum_block(const DenseJob& job, int32_t* sums) {
    for (uint32_t window = 0; window < job.windows; ++window) {
        Vector here[1][k_vectors];
        sum_tile<1>(job, job.from + static_cast<uint64_t>(window) * job.window_bytes, 0, here);
#pragma GCC unroll 4
        for (uint32_t v = 0; v < k_vectors; ++v) store(sums + window * k_block + v * k_lanes, here[0][v]);
    }
}

/// Sums fit 16 bits: 48 rows of 255.
void pool(const pileup::PoolJob& job) {
    for (uint32_t channel = 0; channel < job.channels; channel += 8) {
        __m128i sum[2] = {_mm_setzero_si128(), _mm_setzero_si128()};
        __m128i highest[2] = {sum[0], sum[0]};
        for (uint32_t r = 0; r < job.rows; ++r) {
            const auto* from = reinterpret_cast<const __m128i*>(job.from + r * job.channels + channel);
            const __m128i row = _mm_loadl_epi64(from);
            const uint32_t group = job.group[r];
            sum[group] = _mm_add_epi16(sum[group], _mm_cvtepu8_epi16(row));
            highest[group] = _mm_max_epu8(highest[group], row);
        }
        for (uint32_t group = 0; group < 2; ++group) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(job.sum + group * job.channels + channel),
                             sum[group]);
            _mm_storel_epi64(reinterpret_cast<__m128i*>(job.highest[group] + channel), highest[group]);
        }
    }
}

}  // namespace

const pileup::TileFunctions k_pileup_tiles{dense, sum_block, pool};

}  // namespace gannet::kernels::GANNET_ISA
