// SPDX-License-Identifier: MIT
// Provides tests of the mapping quality: each term of the formula alone, with numbers worked out by hand.
//
// Margins and losses are in sixteenths of a score unit (k_score_unit), so that a mismatch (5 units) is 80,
// and a margin of m is m * 45 / 160 Phred, rounded down.
#include "kernels/pairing/mapping_quality.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace gannet::kernels {
namespace {

constexpr int32_t k_mismatch = 80;

/// With the default scores.
uint8_t mapping_quality(const MappingEvidence& evidence) {
    return kernels::mapping_quality(evidence, {}, k_crowd_penalty);
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

TEST(MappingQuality, grows_by_four_and_a_half_phred_per_score_unit_up_to_60) {
    EXPECT_EQ(mapping_quality(evidence(1)), 22);  //  80 * 45 / 160 = 22.5
    EXPECT_EQ(mapping_quality(evidence(2)), 45);  // 160 * 45 / 160
    EXPECT_EQ(mapping_quality(evidence(3)), 60);  // 67 beyond the maximum
}

TEST(MappingQuality, falls_by_four_for_each_mismatch_of_the_template) {
    MappingEvidence of = evidence(2);
    of.loss = 2 * k_mismatch;
    EXPECT_EQ(mapping_quality(of), 37);  // 45 - 2 * 4
    of.loss = 12 * k_mismatch;
    EXPECT_EQ(mapping_quality(of), 0);  // 45 - 48
}

TEST(MappingQuality, the_mate_adds_at_most_forty) {
    MappingEvidence of = evidence(6);
    of.proper_pair = true;
    of.own_margin = 0;
    EXPECT_EQ(mapping_quality(of), 40);  // 0 + 40, where the pair's margin alone gives 135
    of.own_margin = -2 * k_mismatch;     // the read by itself fits better elsewhere: no less than 0 + 40
    EXPECT_EQ(mapping_quality(of), 40);
    of.own_margin = k_mismatch / 2;
    EXPECT_EQ(mapping_quality(of), 51);  // 11 + 40
}

TEST(MappingQuality, near_equal_candidates_take_off_ten_log10_of_their_number) {
    MappingEvidence of = evidence(2);
    const std::pair<uint32_t, int> cases[] = {{1, 45}, {2, 42}, {4, 39}, {16, 33}, {1'000, 33}};
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
    EXPECT_EQ(kernels::mapping_quality(of, sevenfold, k_crowd_penalty),
              48);  // 200 * 45 / 160 = 56, less 170 * 4 / 80 = 8
    of.own_margin = 0;
    EXPECT_EQ(kernels::mapping_quality(of, sevenfold, k_crowd_penalty), 40);
    of.aligned_score = 7 * 31;
    EXPECT_EQ(kernels::mapping_quality(of, sevenfold, k_crowd_penalty), 22);  // 2 * (31 - 20)
}

TEST(MappingQuality, counts_margins_in_mismatches_whatever_one_loses) {
    BandedSwScoring strict;
    strict.mismatch = 9;  // a mismatch loses 10 score units: 160
    MappingEvidence of;
    of.margin = of.own_margin = 2 * 160;
    of.aligned_score = 100;
    EXPECT_EQ(kernels::mapping_quality(of, strict, k_crowd_penalty), 45);
    of.loss = 3 * 160;
    EXPECT_EQ(kernels::mapping_quality(of, strict, k_crowd_penalty), 33);  // 45 - 3 * 4
    // The longest reads with the highest scores.
    strict.match = 100;
    strict.mismatch = 1'000;
    of.margin = of.own_margin = 2 * 4'096 * 100 * 16;  // 745 mismatches
    of.loss = of.margin;
    of.aligned_score = 4'096 * 100;
    EXPECT_EQ(kernels::mapping_quality(of, strict, k_crowd_penalty), 60);
}

}  // namespace
}  // namespace gannet::kernels
