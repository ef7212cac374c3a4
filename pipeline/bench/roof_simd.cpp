// SPDX-License-Identifier: MIT
// Provides the loops of the roofs for one instruction set.
//
// Compiled once per ISA: everything is in the namespace of the ISA and nothing of the standard library is
// instantiated. Chains of dependent operations stand side by side, one step of all of them after the other,
// so that latencies are hidden; `opaque` keeps the compiler from seeing through a step.
#include <cstdint>
#include <immintrin.h>

namespace gannet::pipeline::bench::GANNET_ISA {

namespace {

#if defined(GANNET_ISA_avx512)
using Vector = __m512i;
inline void opaque(Vector& v) { asm("" : "+v"(v)); }
inline Vector add(Vector a, Vector b) { return _mm512_adds_epu8(a, b); }
inline Vector least(Vector a, Vector b) { return _mm512_min_epu8(a, b); }
inline Vector flip(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
inline Vector shuffle(Vector a, Vector b) { return _mm512_shuffle_epi8(a, b); }
inline Vector all(char value) { return _mm512_set1_epi8(value); }
inline Vector sum_of_products(Vector sum, Vector a, Vector b, Vector ones) {
    return _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(a, b), ones));
}
inline void store(void* to, Vector v) { _mm512_storeu_si512(to, v); }
constexpr int k_chains = 20;
#elif defined(GANNET_ISA_avx2)
using Vector = __m256i;
inline void opaque(Vector& v) { asm("" : "+x"(v)); }
inline Vector add(Vector a, Vector b) { return _mm256_adds_epu8(a, b); }
inline Vector least(Vector a, Vector b) { return _mm256_min_epu8(a, b); }
inline Vector flip(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
inline Vector shuffle(Vector a, Vector b) { return _mm256_shuffle_epi8(a, b); }
inline Vector all(char value) { return _mm256_set1_epi8(value); }
inline Vector sum_of_products(Vector sum, Vector a, Vector b, Vector ones) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
}
inline void store(void* to, Vector v) { _mm256_storeu_si256(static_cast<Vector*>(to), v); }
constexpr int k_chains = 10;
#else
using Vector = __m128i;
inline void opaque(Vector& v) { asm("" : "+x"(v)); }
inline Vector add(Vector a, Vector b) { return _mm_adds_epu8(a, b); }
inline Vector least(Vector a, Vector b) { return _mm_min_epu8(a, b); }
inline Vector flip(Vector a, Vector b) { return _mm_xor_si128(a, b); }
inline Vector shuffle(Vector a, Vector b) { return _mm_shuffle_epi8(a, b); }
inline Vector all(char value) { return _mm_set1_epi8(value); }
inline Vector sum_of_products(Vector sum, Vector a, Vector b, Vector ones) {
    return _mm_add_epi32(sum, _mm_madd_epi16(_mm_maddubs_epi16(a, b), ones));
}
inline void store(void* to, Vector v) { _mm_storeu_si128(static_cast<Vector*>(to), v); }
constexpr int k_chains = 10;
#endif

enum class Step { add, least, flip, shuffle };

template <Step step>
[[gnu::always_inline]] inline void step_all(Vector (&chain)[k_chains], Vector constant) {
#pragma GCC unroll 32
    for (int k = 0; k < k_chains; ++k) {
        if constexpr (step == Step::add) chain[k] = add(chain[k], constant);
        if constexpr (step == Step::least) chain[k] = least(chain[k], constant);
        if constexpr (step == Step::flip) chain[k] = flip(chain[k], constant);
        if constexpr (step == Step::shuffle) chain[k] = shuffle(chain[k], constant);
        opaque(chain[k]);
    }
}

[[gnu::always_inline]] inline uint64_t sum_of(const Vector (&chains)[k_chains]) {
    uint64_t sum = 0;
#pragma GCC unroll 32
    for (int k = 0; k < k_chains; ++k) {
        uint64_t words[sizeof(Vector) / 8];
        store(words, chains[k]);
        for (const uint64_t word : words) sum = sum * 31 + word;
    }
    return sum;
}

}  // namespace

uint64_t banded_sw_roof(uint64_t rounds) {
    Vector chain[k_chains];
#pragma GCC unroll 32
    for (int k = 0; k < k_chains; ++k) chain[k] = all(static_cast<char>(k));
    const Vector costs = all(3);
    const Vector highest = all(100);
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
    Vector chain[k_chains];
#pragma GCC unroll 32
    for (int k = 0; k < k_chains; ++k) chain[k] = all(static_cast<char>(k));
    Vector input = all(3);
    const Vector weight = all(2);
    const Vector ones = all(1);
    for (uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 32
        for (int k = 0; k < k_chains; ++k) {
            opaque(input);
            chain[k] = sum_of_products(chain[k], input, weight, ones);
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

#if defined(GANNET_ISA_avx512)
using Reals = __m512;
inline void opaque(Reals& v) { asm("" : "+v"(v)); }
inline Reals fma(Reals a, Reals b, Reals c) { return _mm512_fmadd_ps(a, b, c); }
inline Reals all(float value) { return _mm512_set1_ps(value); }
inline Reals prior(Vector accepts, Vector code, Reals match, Reals mismatch) {
    return _mm512_mask_blend_ps(_mm512_movepi32_mask(_mm512_sllv_epi32(accepts, code)), mismatch, match);
}
inline void store(float* to, Reals v) { _mm512_storeu_ps(to, v); }
constexpr int k_real_chains = 16;
#else
using Reals = __m256;
inline void opaque(Reals& v) { asm("" : "+x"(v)); }
inline Reals fma(Reals a, Reals b, Reals c) { return _mm256_fmadd_ps(a, b, c); }
inline Reals all(float value) { return _mm256_set1_ps(value); }
inline Reals prior(Vector accepts, Vector code, Reals match, Reals mismatch) {
    return _mm256_blendv_ps(mismatch, match, _mm256_castsi256_ps(_mm256_sllv_epi32(accepts, code)));
}
inline void store(float* to, Reals v) { _mm256_storeu_ps(to, v); }
constexpr int k_real_chains = 9;
#endif

template <bool by_fma>
[[gnu::always_inline]] inline void step_reals(Reals (&chain)[k_real_chains], Reals factor, Reals term) {
#pragma GCC unroll 32
    for (int k = 0; k < k_real_chains; ++k) {
        chain[k] = by_fma ? fma(chain[k], factor, term) : chain[k] + term;
        opaque(chain[k]);
    }
}

}  // namespace

uint64_t pair_hmm_roof(uint64_t rounds) {
    Reals chain[k_real_chains];
#pragma GCC unroll 32
    for (int k = 0; k < k_real_chains; ++k) chain[k] = all(1.0F + static_cast<float>(k));
    // Values stay near 1, where no unit is slower than elsewhere.
    const Reals half = all(0.5F);
    const Reals quarter = all(0.25F);
    const Reals match = all(0.75F);
    const Reals mismatch = all(0.5F);
    Vector code = all(char{0});
    opaque(code);
    Vector accepts = all(static_cast<char>(-1));
    for (uint64_t round = 0; round < rounds; ++round) {
        step_reals<true>(chain, half, quarter);
        step_reals<true>(chain, half, quarter);
        step_reals<true>(chain, half, quarter);
        step_reals<true>(chain, half, quarter);
        step_reals<true>(chain, half, quarter);
#pragma GCC unroll 32
        for (int k = 0; k < k_real_chains; ++k) {
            opaque(accepts);
            chain[k] = chain[k] * prior(accepts, code, match, mismatch);
            opaque(chain[k]);
        }
        step_reals<false>(chain, half, quarter);
    }
    float sum = 0;
#pragma GCC unroll 32
    for (int k = 0; k < k_real_chains; ++k) {
        float values[sizeof(Reals) / 4];
        store(values, chain[k]);
        for (const float value : values) sum += value;
    }
    return static_cast<uint64_t>(sum);
}

extern const uint64_t pair_hmm_roof_cells;
const uint64_t pair_hmm_roof_cells = k_real_chains * sizeof(Reals) / 4;

#endif

}  // namespace gannet::pipeline::bench::GANNET_ISA
