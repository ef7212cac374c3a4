// SPDX-License-Identifier: MIT
// Tests the estimate of variants among the mismatches.
#include "variants/sample/unseen_variants.hpp"

#include "variants/sample/sample_model.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace gannet::variants {
namespace {

TEST(UnseenVariants, apparent_are_three_fragments_and_an_eighth) {
    EXPECT_FALSE(is_apparent_variant(2, 2));
    EXPECT_TRUE(is_apparent_variant(3, 3));
    EXPECT_TRUE(is_apparent_variant(4, 32));
    EXPECT_FALSE(is_apparent_variant(4, 33));
}

/// A million places of one depth, with variants at one in a thousand: what is counted, and which mismatches
/// are theirs.
struct Drawn {
    UnseenVariants counts;
    uint64_t mismatches = 0;
};
Drawn draw(unsigned depth) {
    std::mt19937_64 random(depth);
    Drawn drawn;
    drawn.counts.add_depth(depth, 1'000'000);
    const uint64_t all = (uint64_t{1} << depth) - 1;
    for (int i = 0; i < 1000; ++i) {
        const uint64_t reads = i % 5 < 3 ? static_cast<uint64_t>(std::popcount(random() & all)) : depth;
        if (is_apparent_variant(reads, depth))
            ++drawn.counts.apparent;
        else
            drawn.mismatches += reads;
    }
    return drawn;
}

TEST(UnseenVariants, mismatches_that_are_variants_are_estimated_at_every_depth) {
    for (const unsigned depth : {3U, 4U, 6U, 8U, 12U}) {
        const Drawn drawn = draw(depth);
        const auto expected = static_cast<double>(drawn.mismatches);
        EXPECT_NEAR(static_cast<double>(drawn.counts.mismatches()), expected, 12 + expected / 8) << depth;
    }
    EXPECT_LE(draw(31).counts.mismatches(), 1U);
    UnseenVariants deep;
    deep.add_depth(500, 1'000'000);
    deep.apparent = 1000;
    EXPECT_LE(deep.mismatches(), 0U);
}

TEST(UnseenVariants, nothing_is_estimated_without_apparent_ones) {
    UnseenVariants counts;
    EXPECT_EQ(counts.mismatches(), 0U);
    counts.add_depth(2, 1000);
    counts.apparent = 3;
    EXPECT_EQ(counts.mismatches(), 0U);
}

TEST(UnseenVariants, shallow_sample_keeps_its_honest_qualities) {
    SampleProfile profile;
    profile.bases[40] = 10'000'000;
    profile.mismatches[40] = 1'000 + 2'000;  // Q40, and the reads of variants at 3x
    EXPECT_LT(estimate_qualities(profile, 0)[40], 37);
    profile.unseen = draw(3).counts;
    profile.unseen.apparent *= 3;  // of 3 million places
    profile.unseen.would_be_apparent *= 3;
    profile.unseen.reads_of_others *= 3;
    EXPECT_NEAR(static_cast<double>(profile.unseen.mismatches()), 2'000, 250);
    EXPECT_EQ(estimate_qualities(profile, 0)[40], 40);
}

}  // namespace
}  // namespace gannet::variants
