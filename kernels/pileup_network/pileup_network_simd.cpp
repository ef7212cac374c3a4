// SPDX-License-Identifier: MIT
// Provides the layers of pileup_network for one instruction set: tiles of windows x outputs in registers.
//
// Compiled once per ISA: everything is in the namespace of the ISA and nothing of the standard library is
// instantiated. A lane is an output. Four inputs of a window are broadcast to all lanes and multiplied by
// four weights of each output: maddubs gives sums of two products, which fit 16 bits as weights are at most
// 63, and madd by ones sums of four.
#include "kernels/pileup_network/pileup_network_lanes.hpp"
#include "kernels/simd/integer_lanes.hpp"

namespace gannet::kernels::GANNET_ISA {

namespace {

using pileup::DenseJob;
using pileup::k_block;

/// Windows of a tile: as many as leave the sums of a block of outputs in registers.
#if defined(GANNET_ISA_avx512)
constexpr uint32_t k_max_windows = 12;
#elif defined(GANNET_ISA_avx2)
constexpr uint32_t k_max_windows = 6;
#else
constexpr uint32_t k_max_windows = 2;
#endif

constexpr uint32_t k_lanes = Ints::k_lanes;
constexpr uint32_t k_vectors = k_block / k_lanes;

/// Sums of k_windows windows from `inputs` on and of one block of outputs.
template <uint32_t k_windows>
[[gnu::always_inline]] inline void sum_tile(const DenseJob& job, const uint8_t* inputs, uint32_t block,
                                            Ints (&sums)[k_windows][k_vectors]) {
    const Words ones = broadcast(Words{}, 1);
#pragma GCC unroll 16
    for (uint32_t w = 0; w < k_windows; ++w) {
#pragma GCC unroll 4
        for (uint32_t v = 0; v < k_vectors; ++v)
            sums[w][v] = {load_unaligned(job.bias + block * k_block + v * k_lanes)};
    }
    const int8_t* weights = job.weights + static_cast<uint64_t>(block) * job.inputs * k_block;
    for (uint32_t i = 0; i < job.inputs; i += 4, weights += 4 * k_block) {
        Bytes here[k_vectors];
#pragma GCC unroll 4
        for (uint32_t v = 0; v < k_vectors; ++v) here[v] = {load_unaligned(weights + v * sizeof(Vector))};
#pragma GCC unroll 16
        for (uint32_t w = 0; w < k_windows; ++w) {
            int32_t quad;
            __builtin_memcpy(&quad, inputs + static_cast<uint64_t>(w) * job.window_bytes + i, 4);
            const Bytes four{broadcast(Ints{}, quad).v};
#pragma GCC unroll 4
            for (uint32_t v = 0; v < k_vectors; ++v) sums[w][v] = plus(sums[w][v], dot(four, here[v], ones));
        }
    }
}

/// Activations of a tile. A sum is cut at 0 and at the least sum that gives 255, which changes no activation;
/// so the quotient is far from the ends of 32 bits. The arithmetic in doubles is exact: a product has 41 bits
/// at most, and half a unit is one of its bits or is within 41 bits of them.
template <uint32_t k_windows>
inline void dense_tile(const DenseJob& job, uint32_t window, uint32_t block) {
    Ints sums[k_windows][k_vectors];
    sum_tile<k_windows>(job, job.from + static_cast<uint64_t>(window) * job.window_bytes, block, sums);
    const uint32_t first = block * k_block;
#pragma GCC unroll 16
    for (uint32_t w = 0; w < k_windows; ++w) {
#pragma GCC unroll 4
        for (uint32_t v = 0; v < k_vectors; ++v) {
            const uint32_t output = first + v * k_lanes;
            sums[w][v] =
                scaled(clamped(sums[w][v], {load_unaligned(job.limit + output)}), job.scale + output);
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
        for (; window + k_max_windows <= job.windows; window += k_max_windows)
            dense_tile<k_max_windows>(job, window, block);
        dense_rest<k_max_windows - 1>(job, window, block);
    }
}

void sum_block(const DenseJob& job, int32_t* sums) {
    for (uint32_t window = 0; window < job.windows; ++window) {
        Ints here[1][k_vectors];
        sum_tile<1>(job, job.from + static_cast<uint64_t>(window) * job.window_bytes, 0, here);
#pragma GCC unroll 4
        for (uint32_t v = 0; v < k_vectors; ++v)
            store_unaligned(sums + window * k_block + v * k_lanes, here[0][v].v);
    }
}

/// Sums fit 16 bits: 48 rows of 255.
void pool(const pileup::PoolJob& job) {
    for (uint32_t channel = 0; channel < job.channels; channel += 8) {
        const __m128i zero = _mm_setzero_si128();
        __m128i sum[pileup::k_pools] = {zero, zero, zero};
        __m128i highest[pileup::k_pools] = {zero, zero, zero};
        for (uint32_t r = 0; r < job.rows; ++r) {
            const auto* from = reinterpret_cast<const __m128i*>(job.from + r * job.channels + channel);
            const __m128i row = _mm_loadl_epi64(from);
            const uint32_t group = job.pool[r];
            sum[group] = _mm_add_epi16(sum[group], _mm_cvtepu8_epi16(row));
            highest[group] = _mm_max_epu8(highest[group], row);
        }
        for (uint32_t group = 0; group < pileup::k_pools; ++group) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(job.sum + group * job.channels + channel),
                             sum[group]);
            _mm_storel_epi64(reinterpret_cast<__m128i*>(job.highest[group] + channel), highest[group]);
        }
    }
}

}  // namespace

const pileup::LaneFunctions k_pileup_lanes{dense, sum_block, pool};

}  // namespace gannet::kernels::GANNET_ISA
