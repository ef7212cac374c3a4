// SPDX-License-Identifier: MIT
// Tests the model of systematic errors: what is counted, the estimate, and the odds of single sites.
#include "variants/sample/systematic_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace gannet::variants {
namespace {

constexpr double k_unit = 1 << 20;
constexpr RepeatsBaseBefore k_no_repeat{false, false};

double choose(int n, int k) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

SystematicErrorCounts counted(const StrandCounts& counts, const RepeatsBaseBefore& repeats = k_no_repeat) {
    SystematicErrorCounts sums;
    sums.add_place(counts, repeats);
    return sums;
}

TEST(SystematicErrorCounts, a_site_has_the_stated_share_of_fragments_and_both_strands) {
    EXPECT_EQ(counted({{12, 15}, {0, 3}}), SystematicErrorCounts()) << "3 of 30 are less than an eighth";
    EXPECT_EQ(counted({{12, 14}, {0, 4}}).one_strand[0], 1u);
    EXPECT_EQ(counted({{12, 14}, {1, 3}}).one_strand[0], 0u);
    EXPECT_EQ(counted({{4, 4}, {1, 0}}), SystematicErrorCounts()) << "one fragment";
    EXPECT_EQ(counted({{3, 4}, {3, 0}}).one_strand[0], 1u) << "three of ten";
    EXPECT_EQ(counted({{2, 4}, {3, 0}}), SystematicErrorCounts()) << "three of nine";
    EXPECT_EQ(counted({{6, 1}, {2, 0}}), SystematicErrorCounts()) << "one fragment on the other strand";
    EXPECT_EQ(counted({{60, 50}, {20, 0}}), SystematicErrorCounts()) << "deeper than the maximum";
}

TEST(SystematicErrorCounts, chance_is_that_of_fragments_drawn_without_regard_to_strand) {
    for (const StrandCounts& counts : {StrandCounts{{12, 14}, {0, 4}}, StrandCounts{{12, 14}, {2, 2}},
                                       StrandCounts{{5, 4}, {1, 2}}, StrandCounts{{2, 9}, {0, 3}}}) {
        const int forward = counts.reference[0] + counts.alternate[0];
        const int reverse = counts.reference[1] + counts.alternate[1];
        const int alternate = counts.alternate[0] + counts.alternate[1];
        const double all = choose(forward + reverse, alternate);
        const double on_forward = choose(forward, alternate) / all;
        const double on_reverse = choose(reverse, alternate) / all;
        const SystematicErrorCounts sums = counted(counts, {false, true});
        EXPECT_NEAR(static_cast<double>(sums.expected[0]) / k_unit, on_forward, 1e-5);
        EXPECT_NEAR(static_cast<double>(sums.expected[1]) / k_unit, on_reverse, 1e-5);
        const double both = on_forward + on_reverse;
        EXPECT_NEAR(static_cast<double>(sums.variance) / k_unit, both * (1 - both), 1e-5);
    }
}

TEST(SystematicErrorCounts, a_site_counts_by_the_base_before_it_on_its_own_strand) {
    EXPECT_EQ(counted({{8, 8}, {4, 0}}, {true, false}).one_strand, (std::array<uint64_t, 2>{0, 1}));
    EXPECT_EQ(counted({{8, 8}, {0, 4}}, {true, false}).one_strand, (std::array<uint64_t, 2>{1, 0}));
}

/// A genome of so many bases at this depth, heterozygous at one in a thousand, with places that are prone to
/// errors on one strand in each class of rates that the model has.
SystematicErrorCounts sample(int bases, int depth, double places_per_base, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::binomial_distribution<int> reads(depth, 0.5);
    SystematicErrorCounts sums;
    sums.add_depth(static_cast<uint32_t>(depth), static_cast<uint64_t>(bases));
    const auto add = [&](double forward_rate, double reverse_rate, const RepeatsBaseBefore& repeats) {
        const int forward = reads(random);
        const int alternate = std::binomial_distribution<int>(forward, forward_rate)(random);
        const int other = std::binomial_distribution<int>(depth - forward, reverse_rate)(random);
        sums.add_place({{forward - alternate, depth - forward - other}, {alternate, other}}, repeats);
    };
    const auto number = [&](double mean) { return std::poisson_distribution<int>(mean * bases)(random); };
    for (int i = number(1e-3); i > 0; --i) add(0.5, 0.5, {random() % 4 == 0, random() % 4 == 0});
    for (const auto& [rate, share] : {std::pair{0.06, 0.564}, std::pair{0.12, 0.282}, std::pair{0.22, 0.112},
                                      std::pair{0.38, 0.031}, std::pair{0.60, 0.011}}) {
        for (int i = number(places_per_base * share); i > 0; --i) add(rate, 0, {true, false});
        for (int i = number(places_per_base * share); i > 0; --i) add(0, rate, {false, true});
    }
    return sums;
}

TEST(SystematicErrors, rate_is_found_at_any_depth) {
    for (const int depth : {12, 20, 30, 50}) {
        const SystematicErrors errors = estimate_systematic_errors(sample(8'000'000, depth, 2e-4, 7));
        // All are where the base before is repeated, as 23 % of the places are for an SNV.
        const double found = static_cast<double>(errors.per_billion[1]) * 0.23 / 1e9;
        EXPECT_GT(found, depth < 20 ? 0.8e-4 : 1.2e-4) << depth;  // less a standard deviation
        EXPECT_LT(found, 2.8e-4) << depth;
        EXPECT_LT(errors.per_billion[0], errors.per_billion[1] / 10) << depth;
    }
}

TEST(SystematicErrors, a_sample_without_them_has_none) {
    for (const uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
        for (const int depth : {8, 15, 30, 50})
            EXPECT_TRUE(estimate_systematic_errors(sample(2'000'000, depth, 0, seed)).none()) << depth;
    }
    EXPECT_TRUE(estimate_systematic_errors({}).none());
}

TEST(SystematicErrors, five_sites_beyond_chance_are_needed) {
    SystematicErrorCounts counts;
    counts.add_depth(30, 2'000'000);
    counts.one_strand = {0, 4};
    EXPECT_TRUE(estimate_systematic_errors(counts).none());
    counts.one_strand = {0, 5};
    EXPECT_FALSE(estimate_systematic_errors(counts).none());
    counts.variance = static_cast<uint64_t>(3 * k_unit);  // three standard deviations are 5.2 sites
    EXPECT_TRUE(estimate_systematic_errors(counts).none());
}

TEST(SystematicErrors, sums_add_up) {
    const SystematicErrorCounts one = sample(1'000'000, 30, 2e-4, 1), two = sample(1'000'000, 20, 1e-4, 2);
    SystematicErrorCounts both = one, other = two;
    both.add(two);
    other.add(one);
    EXPECT_EQ(both, other);
    EXPECT_EQ(both.opportunities, one.opportunities + two.opportunities);
    EXPECT_EQ(both.one_strand[1], one.one_strand[1] + two.one_strand[1]);
    EXPECT_EQ(both.variance, one.variance + two.variance);
}

/// The odds in floating point, from the definition.
double exact_odds(const SystematicErrors& errors, const StrandCounts& counts,
                  const RepeatsBaseBefore& repeats) {
    constexpr std::array<std::array<double, 2>, 5> k_classes{
        {{0.06, 0.564}, {0.12, 0.282}, {0.22, 0.112}, {0.38, 0.031}, {0.60, 0.011}}};
    double sum = 0;
    for (size_t strand = 0; strand < 2; ++strand) {
        const double places = static_cast<double>(errors.per_billion[repeats[strand] ? 1 : 0]) / 1e9;
        for (const auto& [rate, share] : k_classes)
            sum += places * share * std::pow(rate, counts.alternate[strand]) *
                   std::pow(1 - rate, counts.reference[strand]) *
                   std::pow(0.005, counts.alternate[1 - strand]) *
                   std::pow(0.995, counts.reference[1 - strand]);
    }
    const int fragments =
        counts.reference[0] + counts.reference[1] + counts.alternate[0] + counts.alternate[1];
    return std::log10(sum) - std::log10(7e-4) + fragments * std::log10(2.0);
}

TEST(SystematicErrorOdds, are_those_of_the_definition) {
    const SystematicErrors errors{{20'000, 300'000}};
    for (int forward = 0; forward <= 30; forward += 3) {
        for (int alternate = 0; alternate <= forward; alternate += 2) {
            for (const int other : {0, 1, 5}) {
                const StrandCounts counts{{forward - alternate, 12}, {alternate, other}};
                for (const RepeatsBaseBefore repeats :
                     {RepeatsBaseBefore{true, false}, RepeatsBaseBefore{false, true}}) {
                    const auto odds =
                        static_cast<double>(systematic_error_odds(errors, counts, repeats)) / k_log_scale;
                    EXPECT_NEAR(odds, exact_odds(errors, counts, repeats), 0.03)
                        << forward << ' ' << alternate;
                }
            }
        }
    }
}

TEST(SystematicErrorOdds, tell_errors_of_one_strand_from_variants) {
    const SystematicErrors errors{{20'000, 300'000}};
    const RepeatsBaseBefore first{true, false}, second{false, true};
    EXPECT_GT(systematic_error_odds(errors, {{10, 12}, {5, 0}}, first), 0);
    EXPECT_GT(systematic_error_odds(errors, {{12, 10}, {0, 5}}, second), 0) << "the reverse strand likewise";
    EXPECT_GT(systematic_error_odds(errors, {{10, 12}, {5, 0}}, first),
              systematic_error_odds(errors, {{10, 12}, {5, 0}}, second));
    EXPECT_LT(systematic_error_odds(errors, {{10, 10}, {6, 4}}, first), -4 * k_log_scale) << "both strands";
    EXPECT_LT(systematic_error_odds(errors, {{3, 3}, {3, 0}}, first), 0) << "too few reads to tell";
    EXPECT_EQ(systematic_error_odds({}, {{10, 12}, {5, 0}}, first), k_no_systematic_error);
}

TEST(SystematicErrors, text_has_the_places_of_all_bases) {
    EXPECT_EQ((SystematicErrors{{20'000, 300'000}}).to_text(), "84 per Mb and strand");
    EXPECT_EQ(SystematicErrors().to_text(), "0 per Mb and strand");
}

}  // namespace
}  // namespace gannet::variants
