// SPDX-License-Identifier: MIT
// Checks the statistics of benchmark comparisons against published tables, and how often they err.
#include "data/simulate/random.hpp"
#include "pipeline/bench/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gannet::pipeline::bench {
namespace {

using data::simulate::Random;

TEST(Statistics, quantiles_interpolate) {
    const std::vector<double> values{4, 1, 3, 2};
    EXPECT_DOUBLE_EQ(median(values), 2.5);
    EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
    EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
    EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
    EXPECT_DOUBLE_EQ(median(std::vector<double>{7}), 7);
}

// Critical values of the signed-rank statistic, two-sided (Wilcoxon 1945, table II; McCornack 1965): the
// largest W with P(W <= w) <= alpha / 2. The interval leaves out that many averages and none more.
TEST(Statistics, depth_is_of_the_published_tables) {
    struct Case {
        size_t pairs;
        double alpha;
        size_t critical;
    };
    for (const Case& one : {Case{6, 0.05, 0}, Case{8, 0.05, 3}, Case{10, 0.05, 8}, Case{20, 0.05, 52},
                            Case{20, 0.01, 37}, Case{25, 0.01, 68}, Case{50, 0.05, 434}}) {
        // Powers of two: every Walsh average is another, so the rank of a bound can be read off it.
        std::vector<double> values;
        for (size_t i = 0; i < one.pairs; ++i) values.push_back(std::ldexp(1.0, static_cast<int>(i)));
        const Interval interval = signed_rank_interval(values, one.alpha);
        size_t below = 0;
        size_t above = 0;
        for (size_t i = 0; i < values.size(); ++i) {
            for (size_t j = i; j < values.size(); ++j) {
                below += (values[i] + values[j]) / 2 < interval.low;
                above += (values[i] + values[j]) / 2 > interval.high;
            }
        }
        EXPECT_EQ(below, one.critical) << one.pairs << " pairs, alpha " << one.alpha;
        EXPECT_EQ(above, one.critical) << one.pairs << " pairs, alpha " << one.alpha;
    }
}

TEST(Statistics, too_few_pairs_have_no_bounds) {
    EXPECT_EQ(min_pairs(0.05), 6u);
    EXPECT_EQ(min_pairs(0.01), 8u);
    EXPECT_TRUE(std::isinf(signed_rank_interval(std::vector<double>{1, 2, 3, 4, 5}, 0.05).low));
    EXPECT_DOUBLE_EQ(signed_rank_interval(std::vector<double>{1, 2, 3, 4, 5, 6}, 0.05).low, 1);
    EXPECT_DOUBLE_EQ(signed_rank_interval(std::vector<double>{3}, 0.05).estimate, 3);
}

TEST(Statistics, normal_approximation_meets_the_exact_depth) {
    std::vector<double> values;
    Random random(5, data::simulate::Stream::sequencing, 0);
    for (size_t i = 0; i < k_exact_pairs; ++i) values.push_back(random.uniform());
    const Interval exact = signed_rank_interval(values, 0.01);
    values.push_back(0.5);
    const Interval approximate = signed_rank_interval(values, 0.01);
    EXPECT_NEAR(exact.low, approximate.low, 0.003);
    EXPECT_NEAR(exact.high, approximate.high, 0.003);
}

// Coverage: differences of one distribution have centre 0, and no more than alpha of the intervals miss it.
// Noise as of a shared machine: half of the time a core runs at half speed.
TEST(Statistics, interval_misses_no_more_than_it_says) {
    constexpr int k_trials = 4000;
    constexpr double k_alpha = 0.05;
    int missed = 0;
    for (int trial = 0; trial < k_trials; ++trial) {
        Random random(11, data::simulate::Stream::sequencing, static_cast<uint64_t>(trial));
        const auto seconds = [&random] {
            return (random.below(2) == 0 ? 1.0 : 1.8) * (1 + 0.05 * random.uniform());
        };
        std::vector<double> logs;
        for (int pair = 0; pair < 20; ++pair) logs.push_back(std::log(seconds() / seconds()));
        const Interval interval = signed_rank_interval(logs, k_alpha);
        missed += interval.low > 0 || interval.high < 0;
    }
    EXPECT_LE(missed, k_trials * k_alpha * 1.15);
    EXPECT_GE(missed, k_trials * k_alpha * 0.5);  // and is not wider than it need be
}

}  // namespace
}  // namespace gannet::pipeline::bench
