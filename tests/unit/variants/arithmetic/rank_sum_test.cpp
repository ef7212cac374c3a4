// SPDX-License-Identifier: MIT
// Tests the rank-sum test and the odds ratio of strands against values computed by hand.
#include "variants/arithmetic/rank_sum.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace gannet::variants {
namespace {

using Values = std::vector<int32_t>;

std::optional<int32_t> z_of(Values first, Values second) { return rank_sum_milli(first, second); }

Values range(int32_t begin, int32_t count) {
    Values values(static_cast<size_t>(count));
    std::iota(values.begin(), values.end(), begin);
    return values;
}

TEST(RankSum, an_empty_side_has_no_answer) {
    EXPECT_FALSE(z_of({}, {1}));
    EXPECT_FALSE(z_of({1}, {}));
    EXPECT_FALSE(z_of({}, {}));
}

TEST(RankSum, few_values_are_tested_exactly) {
    // The quantile of (choices with a lower sum + half of those with the same) / choices.
    EXPECT_EQ(z_of({5}, {7}), -674);                   // 0.5 of 2
    EXPECT_EQ(z_of({3, 4}, {1, 2}), 1383);             // 5.5 of 6
    EXPECT_EQ(z_of({1, 2}, {3, 4}), -1383);            // 0.5 of 6
    EXPECT_EQ(z_of({1, 2}, {2}), -431);                // sums 3.5, 3.5, 5: 1 of 3
    EXPECT_EQ(z_of({60, 60}, {60, 60}), 0);            // nothing but ties
    EXPECT_EQ(z_of({1, 4}, {2, 3}), 0);                // the middle one of the sums
    EXPECT_EQ(z_of(range(10, 9), range(1, 9)), 4259);  // 48,619.5 of 48,620
}

TEST(RankSum, many_values_are_tested_by_the_normal_approximation) {
    // Without ties no correction for continuity: (0 - 50) / sqrt(100 / 12 x 21).
    EXPECT_EQ(z_of(range(1, 10), range(11, 10)), -3780);
    // 15 and 5 values tied: (75 - 50 + 0.5) / sqrt(100 / 12 x (21 - 3480 / 380)).
    EXPECT_EQ(z_of(Values(10, 30), {30, 30, 30, 30, 30, 20, 20, 20, 20, 20}), 2567);
    // One side is long: (0 - 5) / sqrt(10 / 12 x 12).
    EXPECT_EQ(z_of({0}, range(1, 10)), -1581);
    EXPECT_EQ(z_of(Values(50, 60), Values(50, 60)), 0);
}

TEST(RankSum, order_of_the_values_does_not_matter) {
    std::mt19937 random(5);
    Values first = {3, 9, 9, 1, 4, 4, 4, 20, 17, 2, 8};
    Values second = {5, 5, 30, 2, 2, 8};
    const auto wanted = z_of(first, second);
    for (int i = 0; i < 20; ++i) {
        std::shuffle(first.begin(), first.end(), random);
        std::shuffle(second.begin(), second.end(), random);
        EXPECT_EQ(z_of(first, second), wanted);
    }
}

TEST(RankSum, many_thousands_of_values_do_not_overflow) {
    // (U - n^2 / 2) / (n sqrt((2n + 1) / 12)), U = 0.
    const double n = 50'000;
    EXPECT_NEAR(*z_of(range(0, 50'000), range(50'000, 50'000)), -1000 * n / 2 / std::sqrt((2 * n + 1) / 12),
                1);
}

TEST(StrandOdds, examples_by_hand_and_of_gatks_manual) {
    EXPECT_EQ(strand_odds_milli(std::array{1450, 345, 160, 212}), 592);
    EXPECT_EQ(strand_odds_milli(std::array{0, 0, 0, 0}), 693);      // ln 2
    EXPECT_EQ(strand_odds_milli(std::array{10, 10, 0, 10}), 4804);  // ln(11 + 1/11) + ln 11
    EXPECT_EQ(strand_odds_milli(std::array{0, 10, 10, 10}), 8);     // ln(11 + 1/11) - ln 11
}

TEST(StrandOdds, random_counts_are_within_rounding_of_the_formula) {
    std::mt19937 random(7);
    for (int i = 0; i < 20'000; ++i) {
        std::array<int32_t, 4> counts{};
        for (int32_t& count : counts) count = static_cast<int32_t>(random() % (i % 2 == 0 ? 40 : 100'000));
        const double a = counts[0] + 1, b = counts[1] + 1, c = counts[2] + 1, d = counts[3] + 1;
        const double odds = a * d / (b * c);
        const double exact = std::log(odds + 1 / odds) + std::log(std::min(a, b) / std::max(a, b)) -
                             std::log(std::min(c, d) / std::max(c, d));
        EXPECT_NEAR(strand_odds_milli(counts), exact * 1000, 0.501);
    }
}

}  // namespace
}  // namespace gannet::variants
