// SPDX-License-Identifier: MIT
// Provides the loops of the roofs for one instruction set.
//
// Compiled once per ISA: everything is in the namespace of the ISA and nothing of the standard library is
// instantiated. Chains of dependent operations run side by side, one step of all of them after the other, so
// that latencies are hidden; `opaque` keeps the compiler from seeing through a step.
#include "kernels/simd/real_lanes.hpp"

namespace gannet::pipeline::bench::GANNET_ISA {

namespace {

using kernels::GANNET_ISA::Bytes;
using kernels::GANNET_ISA::Ints;
using kernels::GANNET_ISA::lookup;
using kernels::GANNET_ISA::store_vector;
using kernels::GANNET_ISA::Vector;
using kernels::GANNET_ISA::Words;
using kernels::GANNET_ISA::xor_bits;

#if defined(GANNET_ISA_avx512)
template <class Lane>
inline void opaque(Lane& lane) {
    asm("" : "+v"(lane.v));
}
constexpr int k_chains = 20;
#else
template <class Lane>
inline void opaque(Lane& lane) {
    asm("" : "+x"(lane.v));
}
constexpr int k_chains = 10;
#endif

inline Bytes all(char value) { return broadcast(Bytes{}, static_cast<uint8_t>(value)); }

enum class Step { add, least, flip, shuffle };

template <Step step>
[[gnu::always_inline]] inline void step_all(Bytes (&chain)[k_chains], Bytes constant) {
#pragma GCC unroll 32
    for (int k = 0; k < k_chains; ++k) {
        if constexpr (step == Step::add) chain[k] = plus(chain[k], constant);
        if constexpr (step == Step::least) chain[k] = lesser(chain[k], constant);
        if constexpr (step == Step::flip) chain[k] = {xor_bits(chain[k].v, constant.v)};
        if constexpr (step == Step::shuffle) chain[k] = {lookup(chain[k].v, constant.v)};
        opaque(chain[k]);
    }
}

template <class Lane>
[[gnu::always_inline]] inline uint64_t sum_of(const Lane (&chains)[k_chains]) {
    uint64_t sum = 0;
#pragma GCC unroll 32
    for (int k = 0; k < k_chains; ++k) {
        alignas(64) uint64_t words[sizeof(Vector) / 8];
        store_vector(words, chains[k].v);
        for (const uint64_t word : words) sum = sum * 31 + word;
    }
    return sum;
}

}  // namespace

uint64_t banded_sw_roof(uint64_t rounds) {
    Bytes chain[k_chains];
#pragma GCC unroll 32
    for (int k = 0; k < k_chains; ++k) chain[k] = all(static_cast<char>(k));
    const Bytes costs = all(3);
    const Bytes highest = all(100);
    for (uint64_t round = 0; round < rounds; ++round) {
        step_all<Step::flip>(chain, costs);
        step_all<Step::shuffle>(chain, costs);
        step_all<Step::add>(chain, costs);
        step_all<Step::least>(chain, highest);
        step_all<Step::least>(chain, highest);
        step_all<Step::add>(chain, costs);
        step_all<Step::least>(chain, highest);
        step_all<Step::least>(chain, highest);
        step_all<Step::add>(chain, costs);
        step_all<Step::least>(chain, highest);
        step_all<Step::add>(chain, costs);
    }
    return sum_of(chain);
}

uint64_t pileup_network_roof(uint64_t rounds) {
    Ints chain[k_chains];
#pragma GCC unroll 32
    for (int k = 0; k < k_chains; ++k) chain[k] = broadcast(Ints{}, k);
    Bytes input = all(3);
    const Bytes weight = all(2);
    const Words ones = broadcast(Words{}, 1);
    for (uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 32
        for (int k = 0; k < k_chains; ++k) {
            opaque(input);
            chain[k] = plus(chain[k], dot(input, weight, ones));
            opaque(chain[k]);
        }
    }
    return sum_of(chain);
}

extern const uint64_t banded_sw_roof_cells;
extern const uint64_t pileup_network_roof_products;
const uint64_t banded_sw_roof_cells = k_chains * sizeof(Vector);
const uint64_t pileup_network_roof_products = k_chains * sizeof(Vector);

#if defined(GANNET_ISA_avx2) || defined(GANNET_ISA_avx512)

namespace {

using kernels::GANNET_ISA::Floats;

#if defined(GANNET_ISA_avx512)
constexpr int k_real_chains = 16;
#else
constexpr int k_real_chains = 9;
#endif

template <bool by_fma>
[[gnu::always_inline]] inline void step_reals(Floats (&chain)[k_real_chains], Floats factor, Floats term) {
#pragma GCC unroll 32
    for (int k = 0; k < k_real_chains; ++k) {
        chain[k] = by_fma ? fma(chain[k], factor, term) : chain[k] + term;
        opaque(chain[k]);
    }
}

}  // namespace

uint64_t pair_hmm_roof(uint64_t rounds) {
    Floats chain[k_real_chains];
#pragma GCC unroll 32
    for (int k = 0; k < k_real_chains; ++k) chain[k] = Floats::all(1.0F + static_cast<float>(k));
    // Values stay near 1, where no unit is slower than elsewhere.
    const Floats half = Floats::all(0.5F);
    const Floats quarter = Floats::all(0.25F);
    const Floats match = Floats::all(0.75F);
    const Floats mismatch = Floats::all(0.5F);
    Bytes code = all(0);
    opaque(code);
    Bytes accepts = all(-1);
    for (uint64_t round = 0; round < rounds; ++round) {
        step_reals<true>(chain, half, quarter);
        step_reals<true>(chain, half, quarter);
        step_reals<true>(chain, half, quarter);
        step_reals<true>(chain, half, quarter);
        step_reals<true>(chain, half, quarter);
#pragma GCC unroll 32
        for (int k = 0; k < k_real_chains; ++k) {
            opaque(accepts);
            chain[k] = chain[k] * Floats::select_by_bit(accepts.v, code.v, match, mismatch);
            opaque(chain[k]);
        }
        step_reals<false>(chain, half, quarter);
    }
    float sum = 0;
#pragma GCC unroll 32
    for (int k = 0; k < k_real_chains; ++k) {
        alignas(64) float values[Floats::k_lanes];
        chain[k].store(values);
        for (const float value : values) sum += value;
    }
    return static_cast<uint64_t>(sum);
}

extern const uint64_t pair_hmm_roof_cells;
const uint64_t pair_hmm_roof_cells = k_real_chains * Floats::k_lanes;

#endif

}  // namespace gannet::pipeline::bench::GANNET_ISA
