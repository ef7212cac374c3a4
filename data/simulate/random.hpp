// SPDX-License-Identifier: MIT
// Provides the random numbers of the simulator: counted streams, and integer forms of the distributions it
// needs.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace gannet::data::simulate {

/// Independent streams of one seed; the index within a stream is a contig or a pair.
enum class Stream : uint64_t {
    families = 1,
    contig,
    duplications,
    gaps,
    variants,
    phase,
    repeat,
    molecule,
    sequencing,
    person,
    hopping,
    hopped_molecule,
    short_fragment,
    chimera,
    foldback,
    oxidation,
    stutter,
    pcr,
    systematic,
    systematic_context,
    other_person,
    hidden_copies,
    paralogues,
    layout,
    deamination,
    end_deamination
};

/// A probability as the numbers below 2^64 that mean yes. Exact: the product is a scaling by a power of two.
struct Probability {
    uint64_t threshold = 0;
};
constexpr Probability probability(double p) {
    if (p <= 0) return {0};
    if (p >= 1) return {~uint64_t{0}};
    return {static_cast<uint64_t>(p * 0x1p64)};
}

/// SplitMix64 (Steele, Lea and Flood 2014) from a start that is a hash of seed, stream and index. Standard
/// distributions are not used, since they differ between libraries, and neither is libm.
class Random {
  public:
    Random(uint64_t seed, Stream stream, uint64_t index)
        : state_(mix(mix(mix(seed + k_step) ^ static_cast<uint64_t>(stream) * k_step) + index * k_step)) {}

    uint64_t next() {
        state_ += k_step;
        return mix(state_);
    }
    /// Uniform over [0, n), n > 0 and below 2^48; the bias is below 2^-16 of a unit's share.
    uint64_t below(uint64_t n) { return n <= UINT32_MAX ? (next() >> 32) * n >> 32 : next() % n; }
    int64_t between(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low + 1)));
    }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    bool chance(Probability p) { return next() < p.threshold; }
    bool chance(double p) { return chance(probability(p)); }

    /// Trials up to and with the first success, at most `limit`.
    uint32_t geometric(double p, uint32_t limit) {
        const Probability success = probability(p);
        uint32_t n = 1;
        while (n < limit && !chance(success)) ++n;
        return n;
    }
    /// Close to exponential: halvings, and evenly spread within each.
    uint64_t exponential(double mean) {
        const auto halvings = static_cast<double>(std::countr_zero(next() | uint64_t{1} << 40));
        return static_cast<uint64_t>(mean * 0.6931 * (halvings + uniform()));
    }
    /// Normal with mean 0 and standard deviation 2^16: the sum of twelve uniform numbers of 16 bits.
    int32_t normal() {
        uint32_t sum = 0;
        for (int i = 0; i < 3; ++i)
            for (uint64_t x = next(), k = 0; k < 4; ++k, x >>= 16) sum += static_cast<uint32_t>(x & 0xFFFF);
        return static_cast<int32_t>(sum) - 12 * 65535 / 2;
    }
    /// Index drawn by weight.
    size_t pick(std::span<const uint32_t> weights) {
        uint64_t total = 0;
        for (const uint32_t w : weights) total += w;
        uint64_t x = below(total);
        size_t i = 0;
        while (x >= weights[i]) x -= weights[i++];
        return i;
    }

  private:
    static constexpr uint64_t k_step = 0x9E3779B97F4A7C15U;
    static constexpr uint64_t mix(uint64_t x) {
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
        x = (x ^ x >> 27) * 0x94D049BB133111EBU;
        return x ^ x >> 31;
    }
    uint64_t state_;
};

}  // namespace gannet::data::simulate
