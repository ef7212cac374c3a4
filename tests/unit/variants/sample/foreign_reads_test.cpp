// SPDX-License-Identifier: MIT
// Tests the odds of foreign reads.
#include "variants/sample/foreign_reads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gannet::variants {
namespace {

double log_negative_binomial(int count, double mean, double size) {
    return (std::lgamma(count + size) - std::lgamma(size) - std::lgamma(count + 1.0) +
            size * std::log(size / (size + mean)) + count * std::log(mean / (size + mean))) /
           std::log(10.0);
}

/// As stated, in floating point; without the prior.
double expected_odds(int reference, int alternate, double mean, double size) {
    const int total = reference + alternate;
    const double choose =
        (std::lgamma(total + 1.0) - std::lgamma(alternate + 1.0) - std::lgamma(reference + 1.0)) /
        std::log(10.0);
    const double heterozygous = log_negative_binomial(total, mean, size) + choose - total * std::log10(2.0);
    return log_negative_binomial(reference, mean, size) - std::log10(2 * mean) - heterozygous;
}

double odds(int reference, int alternate, double mean, int size = 44) {
    const PlaceDepth depth{static_cast<int64_t>(mean * 256), size};
    return static_cast<double>(foreign_reads_odds(depth, reference, alternate)) / k_log_scale -
           sample_number("foreign_prior_log10");
}

TEST(ForeignReads, odds_are_those_of_the_two_explanations) {
    for (const double mean : {2.0, 9.5, 28.0, 120.0})
        for (const int size : {1, 7, 44})
            for (const int reference : {0, 1, 14, 30, 45, 200})
                for (const int alternate : {1, 4, 15, 33, 90})
                    EXPECT_NEAR(odds(reference, alternate, mean, size),
                                expected_odds(reference, alternate, mean, size), 0.15)
                        << mean << ' ' << size << ' ' << reference << ' ' << alternate;
}

TEST(ForeignReads, depth_beyond_two_copies_speaks_for_them_and_lost_reads_do_not) {
    EXPECT_LT(odds(14, 14, 28), -1);
    EXPECT_LT(odds(15, 6, 28), 0) << "the other haplotype's reads were lost";
    EXPECT_GT(odds(30, 7, 28), 2);
    EXPECT_GT(odds(45, 21, 28), 4);
    EXPECT_GT(odds(31, 33, 28), 3) << "as many again";
    EXPECT_LT(odds(31, 33, 60), -1) << "usual in this sample";
    EXPECT_LT(odds(45, 21, 28, 4), 2) << "the depth is uneven";
}

TEST(ForeignReads, beside_extra_copies_a_site_of_two_copies_is_the_samples_own) {
    const auto odds_beside = [](int reference, int alternate, int64_t mean = 30) {
        return extra_copy_odds({mean * 256, 44}, reference, alternate);
    };
    EXPECT_LT(odds_beside(14, 13), 0);
    EXPECT_NEAR(static_cast<double>(odds_beside(14, 13)) / k_log_scale,
                std::max(expected_odds(14, 13, 30, 44), expected_odds(13, 14, 30, 44)) + 1, 0.15);
    EXPECT_GT(odds_beside(20, 12), 0) << "a third copy is as probable, and more so before";
    EXPECT_LT(odds_beside(9, 16), 0);
    EXPECT_GT(odds_beside(28, 30), 0) << "the depth of four";
    EXPECT_GT(odds_beside(25, 9), 0) << "the alternate one is on a third";
    EXPECT_GT(odds_beside(9, 25), 0) << "or the reference's is";
    EXPECT_LT(odds_beside(28, 30, 60), 0) << "usual in this sample";
    EXPECT_EQ(odds_beside(14, 13, 0), 0) << "not known";
}

TEST(ForeignReads, many_reads_are_scaled_down_with_the_depth) {
    EXPECT_NEAR(odds(1000, 800, 600), odds(500, 400, 300), 0.05);
    EXPECT_GT(odds(100'000, 2'000, 90'000), 10);
}

/// Of a group whose fragments each cover one site, so that sums over sites are the group's.
double group_odds(int reference, int alternate, double mean, int sites = 1, int size = 44) {
    const PlaceDepth depth{static_cast<int64_t>(mean * 256), size};
    return static_cast<double>(
               foreign_group_odds(depth, {reference, alternate, reference + alternate, sites})) /
           k_log_scale;
}

double log_sum(double a, double b) { return std::log10(std::pow(10, a) + std::pow(10, b)); }

TEST(ForeignReads, odds_of_groups_are_those_of_the_three_explanations) {
    const double lost = sample_number("foreign_lost_percent") / 100.0;
    for (const double mean : {2.0, 28.0, 120.0})
        for (const int size : {4, 44})
            for (const int reference : {1, 14, 30, 45, 200})
                for (const int alternate : {1, 4, 15, 33, 90}) {
                    const int total = reference + alternate;
                    const double foreign =
                        log_negative_binomial(reference, mean, size) - std::log10(2 * mean);
                    double own =
                        std::log10(1 - lost) + foreign - expected_odds(reference, alternate, mean, size);
                    if (alternate <= mean / 2)
                        own =
                            log_sum(own, std::log10(lost) + log_negative_binomial(reference, mean / 2, size) -
                                             std::log10(mean / 2 + 1));
                    EXPECT_NEAR(group_odds(reference, alternate, mean, 1, size), foreign - own, 0.15)
                        << mean << ' ' << size << ' ' << reference << ' ' << alternate << ' ' << total;
                }
}

TEST(ForeignReads, more_fragments_make_a_group_surer) {
    EXPECT_NEAR(group_odds(60, 16, 28, 2), group_odds(60, 16, 56), 0.05) << "no fragment covers both sites";
    EXPECT_GT(group_odds(60, 16, 28, 2), group_odds(30, 8, 28) + 0.5);
    // Three sites of 30 and 8 that the same fragments have are one.
    const PlaceDepth depth{28 * 256, 44};
    EXPECT_EQ(foreign_group_odds(depth, {30, 8, 3 * 38, 3}), foreign_group_odds(depth, {30, 8, 38, 1}));
}

TEST(ForeignReads, many_fragments_of_a_group_are_scaled_down_with_the_depth) {
    EXPECT_NEAR(group_odds(1000, 800, 600), group_odds(500, 400, 300), 0.05);
    EXPECT_GT(group_odds(100'000, 20'000, 90'000), 5);
}

TEST(ForeignReads, lost_reads_of_a_haplotype_are_an_explanation) {
    EXPECT_LT(group_odds(33, 6, 60), -0.5) << "the other haplotype has half of the depth";
    EXPECT_GT(group_odds(62, 16, 60), 1);
}

TEST(ForeignReads, of_three_sequences_the_foreign_one_leaves_the_depth_of_two) {
    const auto of_three = [](int reference, int alternate, double mean, int size = 44) {
        const PlaceDepth depth{static_cast<int64_t>(mean * 256), size};
        return static_cast<double>(
                   one_of_three_odds(depth, {reference, alternate, reference + alternate, 1})) /
               k_log_scale;
    };
    for (const double mean : {8.0, 28.0, 120.0})
        for (const int reference : {14, 30, 45, 200})
            for (const int alternate : {4, 15, 33, 90})
                EXPECT_NEAR(of_three(reference, alternate, mean),
                            log_negative_binomial(reference, mean, 44) -
                                log_negative_binomial(alternate, mean / 2, 44),
                            0.15)
                    << mean << ' ' << reference << ' ' << alternate;
    EXPECT_GT(of_three(30, 40, 30), 2) << "too many for one haplotype";
    EXPECT_LT(of_three(60, 15, 30), -2) << "too many for two";
    EXPECT_EQ(one_of_three_odds(PlaceDepth{}, {90, 10, 100, 1}), k_no_foreign_reads);
}

TEST(ForeignReads, unknown_depth_says_nothing) {
    EXPECT_EQ(foreign_group_odds(PlaceDepth{}, {90, 10, 100, 1}), k_no_foreign_reads);
    EXPECT_EQ(foreign_group_odds(PlaceDepth{28 * 256, 44}, {}), k_no_foreign_reads);
    EXPECT_EQ(foreign_reads_odds(PlaceDepth{}, 90, 10), k_no_foreign_reads);
}

}  // namespace
}  // namespace gannet::variants
