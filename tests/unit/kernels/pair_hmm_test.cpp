// SPDX-License-Identifier: MIT
// Tests the op pair_hmm: the reference against an independent forward algorithm, every other backend against
// the reference.
#include "kernels/pair_hmm/pair_hmm.hpp"

#include "kernels/host_stream.hpp"
#include "kernels/pair_hmm/pair_hmm_backends.hpp"
#include "kernels/pair_hmm/pair_hmm_logarithm.hpp"
#include "kernels/pair_hmm/pair_hmm_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace gannet::kernels {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<int32_t> score(PairHmmFunction function, const PairHmmBatch& batch) {
    HostStream stream;
    std::vector<int32_t> likelihood;
    function(stream, batch, likelihood);
    return likelihood;
}

std::vector<SimdLevel> levels() {
    std::vector<SimdLevel> found;
    for (const SimdLevel level : {SimdLevel::avx2, SimdLevel::avx512})
        if (level <= detected_simd_level()) found.push_back(level);
    if (found.empty()) found.push_back(SimdLevel::none);
    return found;
}

/// The forward algorithm as textbooks have it, in long double and with libm: the tests' own opinion.
double log10_forward(const Bytes& read, const Bytes& quality, const Bytes& gap, const Bytes& haplotype) {
    const size_t columns = haplotype.size();
    using Row = std::vector<long double>;
    Row m(columns + 1, 0), g(columns + 1, 0), d(columns + 1, 1.0L / static_cast<long double>(columns));
    for (size_t i = 0; i < read.size(); ++i) {
        Row m2(columns + 1, 0), g2(columns + 1, 0), d2(columns + 1, 0);
        const long double e = std::pow(10.0L, -0.1L * quality[i]);
        const long double o = std::pow(10.0L, -0.1L * gap[i]);
        for (size_t j = 1; j <= columns; ++j) {
            const uint8_t a = read[i];
            const uint8_t b = haplotype[j - 1];
            const long double prior = a == b || a == 4 || b == 4 ? 1 - e : e / 3;
            m2[j] = prior * (m[j - 1] * std::max(0.0L, 1 - 2 * o) + (g[j - 1] + d[j - 1]) * 0.9L);
            g2[j] = m[j] * o + g[j] * 0.1L;
            d2[j] = m2[j - 1] * o + d2[j - 1] * 0.1L;
        }
        m.swap(m2), g.swap(g2), d.swap(d2);
    }
    long double sum = 0;
    for (size_t j = 1; j <= columns; ++j) sum += m[j] + g[j];
    return static_cast<double>(std::log10(sum));
}

struct Maker {
    std::mt19937_64 random;
    explicit Maker(uint64_t seed) : random(seed) {}

    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random() % n); }
    Bytes bases(size_t length, uint32_t codes = 4) {
        Bytes out(length);
        for (uint8_t& b : out) b = static_cast<uint8_t>(below(codes));
        return out;
    }
    Bytes values(size_t length, uint32_t low, uint32_t high) {
        Bytes out(length);
        for (uint8_t& b : out) b = static_cast<uint8_t>(low + below(high - low + 1));
        return out;
    }
    /// A read from the haplotype with some substitutions; begins and ends beyond it are random sequence.
    Bytes read_from(const Bytes& haplotype, size_t length, uint32_t percent_wrong) {
        Bytes out = bases(length);
        const size_t begin =
            haplotype.size() > length ? below(static_cast<uint32_t>(haplotype.size() - length)) : 0;
        for (size_t i = 0; i < length && begin + i < haplotype.size(); ++i)
            if (below(100) >= percent_wrong) out[i] = haplotype[begin + i];
        return out;
    }
};

struct Case {
    Bytes read, quality, gap, haplotype;
};

PairHmmBatch batch_of(const std::vector<Case>& cases) {
    PairHmmBatch batch;
    for (const Case& c : cases) {
        const uint32_t read = batch.add_read(c.read, c.quality, c.gap);
        batch.add_pair(read, batch.add_haplotype(c.haplotype));
    }
    return batch;
}

std::vector<Case> random_cases(uint64_t seed, size_t count, uint32_t longest_read,
                               uint32_t longest_haplotype) {
    Maker make(seed);
    std::vector<Case> cases;
    for (size_t n = 0; n < count; ++n) {
        const size_t length = 1 + make.below(longest_read);
        Case c;
        c.haplotype = make.bases(1 + make.below(longest_haplotype), make.below(8) == 0 ? 5 : 4);
        c.read = make.read_from(c.haplotype, length, make.below(4) == 0 ? 40 : 2);
        if (make.below(8) == 0) c.read[make.below(static_cast<uint32_t>(length))] = 4;
        c.quality = make.values(length, 1, make.below(2) == 0 ? 93 : 41);
        c.gap = make.below(2) == 0 ? Bytes(length, 45) : make.values(length, 1, 93);
        cases.push_back(std::move(c));
    }
    return cases;
}

std::vector<Case> edge_cases() {
    Maker make(7);
    std::vector<Case> cases{{{0}, {30}, {45}, {0}},
                            {{0}, {30}, {45}, {1}},
                            {{4}, {1}, {1}, {4}},
                            {{2}, {93}, {93}, {3}},
                            {{0, 1, 2}, {1, 1, 1}, {1, 1, 1}, {3}}};
    for (const size_t length : {31, 32, 33, 63, 64, 65}) {
        const Bytes haplotype = make.bases(length);
        cases.push_back(
            {make.read_from(haplotype, length, 0), Bytes(length, 93), Bytes(length, 93), haplotype});
        cases.push_back({Bytes(length, 4), Bytes(length, 40), Bytes(length, 45), Bytes(length, 4)});
        cases.push_back({Bytes(length, 0), Bytes(length, 40), Bytes(length, 10), Bytes(length, 0)});
        cases.push_back({make.bases(length), Bytes(length, 93), Bytes(length, 93), make.bases(length / 3)});
        cases.push_back({make.bases(length), Bytes(length, 1), Bytes(length, 1), haplotype});
    }
    cases.push_back({Bytes(400, 0), Bytes(400, 93), Bytes(400, 93), Bytes(500, 3)});  // beyond fp64 too
    return cases;
}

std::vector<Case> long_cases() {
    Maker make(11);
    std::vector<Case> cases;
    const Bytes haplotype = make.bases(k_pair_hmm_max_haplotype);
    cases.push_back({make.read_from(haplotype, 500, 0), Bytes(500, 40), Bytes(500, 45), haplotype});
    const Bytes shorter = make.bases(600);
    cases.push_back({make.read_from(shorter, k_pair_hmm_max_read, 1), Bytes(k_pair_hmm_max_read, 3),
                     Bytes(k_pair_hmm_max_read, 3), shorter});
    return cases;
}

void expect_near_forward(const std::vector<Case>& cases) {
    const std::vector<int32_t> likelihood = score(pair_hmm_reference, batch_of(cases));
    for (size_t p = 0; p < cases.size(); ++p) {
        const Case& c = cases[p];
        const double want = std::max(log10_forward(c.read, c.quality, c.gap, c.haplotype), -571.9569917);
        EXPECT_NEAR(likelihood[p] / static_cast<double>(k_pair_hmm_scale), want,
                    1.6e-5 + 2e-7 * static_cast<double>(c.read.size()))
            << "pair " << p << ", read of " << c.read.size() << ", haplotype of " << c.haplotype.size();
    }
}

TEST(PairHmmLogarithm, all_magnitudes_agree_with_libm) {
    Maker make(3);
    for (int exponent = -126; exponent < 127; ++exponent) {
        const float total = std::ldexp(1.0F + static_cast<float>(make.below(1 << 23)) * 0x1p-23F, exponent);
        const double want =
            (std::log10(static_cast<double>(total)) - 120 * std::log10(2.0)) * k_pair_hmm_scale;
        EXPECT_NEAR(pair_hmm::likelihood_of_total(total), want, 0.52) << exponent;
    }
    static_assert(pair_hmm::likelihood_of_total(0x1p120F) == 0);
    static_assert(pair_hmm::likelihood_of_total(0x1p-900) == k_pair_hmm_floor);
}

TEST(PairHmmTables, probabilities_agree_with_libm) {
    for (int quality = 0; quality <= 93; ++quality) {
        const double want = std::pow(10.0, -quality / 10.0);
        EXPECT_NEAR(pair_hmm::phred_probability(quality) / want, 1.0, 1e-14) << quality;
    }
}

TEST(PairHmmReference, random_pairs_agree_with_forward_algorithm) {
    expect_near_forward(random_cases(1, 400, 120, 200));
}
TEST(PairHmmReference, edge_cases_agree_with_forward_algorithm) { expect_near_forward(edge_cases()); }
TEST(PairHmmReference, longest_pairs_agree_with_forward_algorithm) { expect_near_forward(long_cases()); }

TEST(PairHmmReference, underflow_is_rescued) {
    Maker make(5);
    const Bytes haplotype = make.bases(200);
    Bytes read(haplotype.begin() + 20, haplotype.begin() + 120);
    for (size_t i = 0; i < read.size(); i += 4) read[i] = static_cast<uint8_t>((read[i] + 1) % 4);
    const std::vector<Case> cases{{read, Bytes(100, 40), Bytes(100, 90), haplotype}};
    const std::vector<int32_t> likelihood = score(pair_hmm_reference, batch_of(cases));
    EXPECT_LT(likelihood[0], -100 * k_pair_hmm_scale);
    expect_near_forward(cases);
}

TEST(PairHmmBatchTest, lengths_outside_the_contract_are_refused) {
    PairHmmBatch batch;
    const Bytes none;
    const Bytes longer(k_pair_hmm_max_haplotype + 1, 0);
    const Bytes one(1, 0);
    EXPECT_THROW(batch.add_read(none, none, none), std::invalid_argument);
    EXPECT_THROW(batch.add_read(longer, longer, longer), std::invalid_argument);
    EXPECT_THROW(batch.add_read(one, none, one), std::invalid_argument);
    EXPECT_THROW(batch.add_haplotype(none), std::invalid_argument);
    EXPECT_THROW(batch.add_haplotype(longer), std::invalid_argument);
    EXPECT_TRUE(score(pair_hmm_reference, batch).empty());
}

class PairHmmLevel : public testing::TestWithParam<SimdLevel> {
  protected:
    PairHmmFunction function() const { return pair_hmm_function(Backend::simd, GetParam()); }
};

TEST_P(PairHmmLevel, all_cases_equal_reference) {
    std::vector<Case> cases = random_cases(2, 500, 200, 350);
    for (auto& more : {edge_cases(), long_cases()}) cases.insert(cases.end(), more.begin(), more.end());
    const PairHmmBatch batch = batch_of(cases);
    EXPECT_EQ(score(function(), batch), score(pair_hmm_reference, batch));
}

TEST_P(PairHmmLevel, batch_sizes_around_lanes_equal_reference) {
    for (const size_t count : {0, 1, 7, 8, 9, 15, 16, 17, 33}) {
        const PairHmmBatch batch = batch_of(random_cases(count, count, 60, 80));
        EXPECT_EQ(score(function(), batch), score(pair_hmm_reference, batch)) << count << " pairs";
    }
}

TEST_P(PairHmmLevel, permuted_and_split_pairs_give_the_same_values) {
    const std::vector<Case> cases = random_cases(9, 20, 150, 300);
    PairHmmBatch batch = batch_of(cases);
    batch.pair_read.clear(), batch.pair_haplotype.clear();
    for (uint32_t r = 0; r < 20; ++r)
        for (uint32_t h = 0; h < 20; ++h) batch.add_pair(r, h);
    const std::vector<int32_t> whole = score(function(), batch);
    std::vector<uint32_t> order(whole.size());
    for (uint32_t p = 0; p < order.size(); ++p) order[p] = p;
    std::shuffle(order.begin(), order.end(), std::mt19937_64(4));
    size_t at = 0;
    for (const size_t part : {1, 50, 0, 349}) {
        batch.pair_read.clear(), batch.pair_haplotype.clear();
        for (size_t k = 0; k < part; ++k) batch.add_pair(order[at + k] / 20, order[at + k] % 20);
        const std::vector<int32_t> got = score(function(), batch);
        ASSERT_EQ(got.size(), part);
        for (size_t k = 0; k < part; ++k) EXPECT_EQ(got[k], whole[order[at + k]]);
        at += part;
    }
}

TEST_P(PairHmmLevel, flush_to_zero_mode_changes_nothing) {
    const PairHmmBatch batch = batch_of(random_cases(12, 100, 150, 300));
    const std::vector<int32_t> before = score(function(), batch);
    const unsigned mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(mode | 0x8040U);
    const std::vector<int32_t> flushed = score(function(), batch);
    __builtin_ia32_ldmxcsr(mode);
    EXPECT_EQ(flushed, before);
}

std::string level_name(const testing::TestParamInfo<SimdLevel>& level) {
    return "level" + std::to_string(static_cast<int>(level.param));
}

INSTANTIATE_TEST_SUITE_P(AllLevels, PairHmmLevel, testing::ValuesIn(levels()), level_name);

}  // namespace
}  // namespace gannet::kernels
