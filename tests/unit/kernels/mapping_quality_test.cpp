// SPDX-License-Identifier: MIT
// Provides tests of the mapping quality: each term of the formula alone, with numbers worked out by hand.
//
// Margins and losses are in sixteenths of a score unit (k_score_unit), so that a mismatch (5 units) is 80,
// and a margin of m is m * 45 / 160 Phred, rounded down. The discounts of 0, 1, 2, ... differences are
// 0, 0, 48, 125, 221, 333 sixteenths of a Phred: 160 log10(k!).
#include "kernels/pairing/mapping_quality.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace gannet::kernels {
namespace {

constexpr int32_t k_mismatch = 80;

/// With the default scores.
uint8_t mapping_quality(const MappingEvidence& evidence) {
    return kernels::mapping_quality(evidence, {}, k_crowd_penalty, k_difference_discount);
}

/// Of a read of 100 bases that matches throughout, and next best with so many mismatches.
MappingEvidence evidence(int32_t mismatches) {
    MappingEvidence out;
    out.margin = out.own_margin = mismatches * k_mismatch;
    out.aligned_score = 100;
    return out;
}

TEST(MappingQuality, without_a_margin_is_zero) {
    EXPECT_EQ(mapping_quality(evidence(0)), 0);
    EXPECT_EQ(mapping_quality(evidence(-1)), 0);
    EXPECT_EQ(mapping_quality({}), 0);
}

TEST(MappingQuality, grows_by_four_and_a_half_phred_per_score_unit_less_the_discount_up_to_60) {
    EXPECT_EQ(mapping_quality(evidence(1)), 22);  //  80 * 45 / 160 = 22.5
    EXPECT_EQ(mapping_quality(evidence(2)), 42);  // 160 * 45 / 160, less 48 / 16
    EXPECT_EQ(mapping_quality(evidence(3)), 60);  // 67 - 7
    EXPECT_EQ(mapping_quality(evidence(4)), 60);  // 90 - 13, beyond the maximum
}

TEST(MappingQuality, a_difference_means_less_where_the_template_has_many) {
    MappingEvidence of = evidence(2);
    of.loss = 2 * k_mismatch;
    EXPECT_EQ(mapping_quality(of), 35);  // 45, less (221 - 48) / 16
    of.loss = 5 * k_mismatch / 2;
    EXPECT_EQ(mapping_quality(of), 34);  // half way to the next: 45, less (277 - 86) / 16
    of.loss = 12 * k_mismatch;           // as of dense haplotypes: 10 log10(13 * 14) less
    EXPECT_EQ(mapping_quality(of), 23);
}

TEST(MappingQuality, beyond_the_table_each_difference_costs_as_much_as_its_last) {
    constexpr auto last = k_difference_discount.size() - 1;
    const int64_t step = k_difference_discount[last] - k_difference_discount[last - 1];
    for (const int64_t beyond : {0, 1, 7, 1'000'000}) {
        EXPECT_EQ(difference_discount((static_cast<int64_t>(last) + beyond) * k_mismatch, k_mismatch,
                                      k_difference_discount),
                  k_difference_discount[last] + beyond * step);
    }
    MappingEvidence of = evidence(2);
    of.loss = 1'000 * k_mismatch;
    EXPECT_EQ(mapping_quality(of), 9);  // 45 - 2 * 289 / 16
}

TEST(MappingQuality, the_mate_adds_at_most_forty) {
    MappingEvidence of = evidence(6);
    of.proper_pair = true;
    of.own_margin = 0;
    EXPECT_EQ(mapping_quality(of), 40);  // 0 + 40, where the pair's margin alone gives 107
    of.own_margin = -2 * k_mismatch;     // the read by itself fits better elsewhere: no less than 0 + 40
    EXPECT_EQ(mapping_quality(of), 40);
    of.own_margin = k_mismatch / 2;
    EXPECT_EQ(mapping_quality(of), 51);  // 11 + 40
}

TEST(MappingQuality, near_equal_candidates_take_off_ten_log10_of_their_number) {
    MappingEvidence of = evidence(2);
    const std::pair<uint32_t, int> cases[] = {{1, 42}, {2, 39}, {4, 36}, {16, 30}, {1'000, 30}};
    for (const auto& [near_equal, expected] : cases) {
        of.near_equal = near_equal;
        EXPECT_EQ(mapping_quality(of), expected) << near_equal;
    }
    // After the limit of what the mate adds: 40 - 3.
    of.own_margin = 0;
    of.near_equal = 2;
    EXPECT_EQ(mapping_quality(of), 37);
}

TEST(MappingQuality, short_alignments_get_two_per_base_beyond_twenty) {
    MappingEvidence of = evidence(6);
    of.aligned_score = 30;
    EXPECT_EQ(mapping_quality(of), 20);  // 2 * (30 - 20)
    of.proper_pair = true;
    EXPECT_EQ(mapping_quality(of), 40);  // + 20
    of.aligned_score = 5;
    EXPECT_EQ(mapping_quality(of), 0);  // 2 * (5 - 20) + 20 = -10
}

TEST(MappingQuality, is_the_same_with_scores_that_are_all_multiplied) {
    BandedSwScoring sevenfold;
    sevenfold.match = 7;
    sevenfold.mismatch = 28;
    MappingEvidence of;
    of.margin = 7 * 200;
    of.own_margin = 7 * 40;
    of.loss = 7 * 170;
    of.aligned_score = 7 * 60;
    EXPECT_EQ(kernels::mapping_quality(of, sevenfold, k_crowd_penalty, k_difference_discount),
              42);  // 200 * 45 / 160 = 56, less (291 - 57) / 16 of 4.625 and 2.125 differences
    of.own_margin = 0;
    EXPECT_EQ(kernels::mapping_quality(of, sevenfold, k_crowd_penalty, k_difference_discount), 40);
    of.aligned_score = 7 * 31;
    EXPECT_EQ(kernels::mapping_quality(of, sevenfold, k_crowd_penalty, k_difference_discount),
              22);  // 2 * (31 - 20)
}

TEST(MappingQuality, counts_margins_in_mismatches_whatever_one_loses) {
    BandedSwScoring strict;
    strict.mismatch = 9;  // a mismatch loses 10 score units: 160
    MappingEvidence of;
    of.margin = of.own_margin = 2 * 160;
    of.aligned_score = 100;
    EXPECT_EQ(kernels::mapping_quality(of, strict, k_crowd_penalty, k_difference_discount), 42);
    of.loss = 3 * 160;
    EXPECT_EQ(kernels::mapping_quality(of, strict, k_crowd_penalty, k_difference_discount),
              32);  // 45 - (333 - 125) / 16
    // The longest reads with the highest scores.
    strict.match = 100;
    strict.mismatch = 1'000;
    of.margin = of.own_margin = 2 * 4'096 * 100 * 16;  // 745 mismatches
    of.loss = of.margin;
    of.aligned_score = 4'096 * 100;
    EXPECT_EQ(kernels::mapping_quality(of, strict, k_crowd_penalty, k_difference_discount), 60);
}

}  // namespace
}  // namespace gannet::kernels
