// SPDX-License-Identifier: MIT
// Tests the depth that is expected by GC: its estimate from bins, and its values along a sequence.
#include "variants/sample/expected_depth.hpp"

#include "tests/unit/variants/caller_support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

void count(DepthHistogram& histogram, size_t gc, int64_t depth, int bins) {
    for (int i = 0; i < bins; ++i) histogram.count(gc, depth * k_depth_bin_bases);
}

TEST(GcClass, classes_are_around_multiples_of_five_percent) {
    EXPECT_EQ(gc_class(0, 512), 0u);
    EXPECT_EQ(gc_class(512, 512), k_gc_classes - 1);
    EXPECT_EQ(gc_class(42, 100), 8u);
    EXPECT_EQ(gc_class(43, 100), 9u);
    EXPECT_EQ(gc_class(0, 0), k_gc_classes);
}

TEST(ExpectedDepth, each_class_has_its_median) {
    DepthHistogram histogram;
    count(histogram, 8, 30, 300);
    count(histogram, 8, 90, 100);  // copies that the reference lacks
    count(histogram, 10, 24, 300);
    count(histogram, 10, 0, 50);
    const ExpectedDepth expected = histogram.estimate(150);
    EXPECT_EQ(expected.by_gc[8], 30 * 256);
    EXPECT_EQ(expected.by_gc[10], 24 * 256);
    EXPECT_TRUE(expected.is_known());
    EXPECT_EQ(expected.to_text(), "30.0 from 0 % GC, 24.0 from 50 % GC");
}

TEST(ExpectedDepth, rare_classes_follow_the_nearest_one) {
    DepthHistogram histogram;
    count(histogram, 8, 30, 300);
    count(histogram, 12, 24, 300);
    count(histogram, 13, 5, 10);
    const ExpectedDepth expected = histogram.estimate(150);
    EXPECT_EQ(expected.by_gc[0], 30 * 256);
    EXPECT_EQ(expected.by_gc[9], 30 * 256);
    EXPECT_EQ(expected.by_gc[10], 30 * 256);  // as near to both: that of less GC
    EXPECT_EQ(expected.by_gc[11], 24 * 256);
    EXPECT_EQ(expected.by_gc[13], 24 * 256);
}

/// Bins of a normal distribution: by their quartiles all that counts.
void count_normal(DepthHistogram& histogram, double mean, double deviation) {
    for (double z = -3.5; z <= 3.5; z += 0.05) {
        const auto bins = static_cast<int>(1000 * std::exp(-z * z / 2));
        const auto bases = static_cast<int64_t>((mean + z * deviation) * k_depth_bin_bases);
        for (int i = 0; i < bins; ++i) histogram.count(8, bases);
    }
}

TEST(ExpectedDepth, unevenness_is_what_chance_does_not_explain) {
    // Of 150 bases, 206 / 256 of which are in bins of 256: a variance of 0.47 times the mean.
    DepthHistogram even;
    count_normal(even, 30, std::sqrt(0.47 * 30));
    EXPECT_EQ(even.estimate(150).dispersion_size, 44);
    DepthHistogram uneven;
    count_normal(uneven, 30, std::sqrt(0.47 * 30 + 30 * 30 / 10.0));
    EXPECT_NEAR(uneven.estimate(150).dispersion_size, 10, 2);
    EXPECT_GT(uneven.estimate(250).dispersion_size, uneven.estimate(100).dispersion_size);
}

TEST(ExpectedDepth, deviation_is_of_bins_with_two_copies) {
    DepthCounts counts;
    count_normal(counts.all, 30, std::sqrt(0.47 * 30 + 30 * 30 / 10.0));  // lost reads and further copies
    EXPECT_EQ(counts.estimate(150).deviation_percent, 0);                 // no place is known to have two
    count_normal(counts.two_copies, 33, std::sqrt(0.47 * 33));
    EXPECT_LE(counts.estimate(150).deviation_percent, 5);
    EXPECT_NEAR(counts.estimate(150).dispersion_size, 10, 2);
    counts.two_copies = counts.all;
    EXPECT_NEAR(counts.estimate(150).deviation_percent, 32, 2);
    EXPECT_LT(counts.estimate(250).deviation_percent, counts.estimate(100).deviation_percent);
    counts.all = {};  // the depth is not known
    EXPECT_EQ(counts.estimate(150).deviation_percent, 0);
}

TEST(ExpectedDepth, deviation_of_few_bins_with_two_copies_is_not_known) {
    DepthCounts counts;
    count(counts.all, 8, 30, 300);
    count(counts.two_copies, 8, 15, 24);
    count(counts.two_copies, 8, 45, 25);
    EXPECT_EQ(counts.estimate(150).deviation_percent, 0);
    count(counts.two_copies, 8, 30, 1);
    EXPECT_GT(counts.estimate(150).deviation_percent, 40);
}

TEST(ExpectedDepth, place_has_the_depth_of_its_gc) {
    DepthHistogram histogram;
    count(histogram, 0, 30, 300);
    count(histogram, 20, 24, 300);
    const ExpectedDepth expected = histogram.estimate(150);
    const auto reference =
        make_reference(std::string(1000, 'A') + std::string(1000, 'C') + std::string(1000, 'N'));
    EXPECT_EQ(expected.at(*reference, 0, 5).mean_x256, 30 * 256);
    EXPECT_EQ(expected.at(*reference, 0, 700).mean_x256, 30 * 256);
    EXPECT_EQ(expected.at(*reference, 0, 1300).mean_x256, 24 * 256);
    EXPECT_EQ(expected.at(*reference, 0, 2999).mean_x256, 0) << "unknown sequence";
    EXPECT_EQ(ExpectedDepth().at(*reference, 0, 700).mean_x256, 0);
}

TEST(ExpectedDepth, uneven_depth_is_not_known) {
    DepthHistogram exome;
    count(exome, 8, 0, 900);
    count(exome, 8, 80, 100);
    EXPECT_FALSE(exome.estimate(150).is_known());
    DepthHistogram amplicons;
    count(amplicons, 8, 40, 500);
    count(amplicons, 8, 100, 300);
    EXPECT_FALSE(amplicons.estimate(150).is_known());
    DepthHistogram few;
    count(few, 8, 30, 99);
    EXPECT_FALSE(few.estimate(150).is_known());
    count(few, 8, 30, 1);
    EXPECT_TRUE(few.estimate(150).is_known());
}

TEST(ExpectedDepth, is_uneven_where_reads_were_captured) {
    DepthHistogram exome;
    count(exome, 8, 0, 900);
    count(exome, 8, 80, 100);
    EXPECT_TRUE(exome.estimate(150).is_uneven);
    DepthHistogram with_reads_beside_the_targets;
    count(with_reads_beside_the_targets, 8, 3, 900);
    count(with_reads_beside_the_targets, 8, 80, 100);
    EXPECT_TRUE(with_reads_beside_the_targets.estimate(150).is_uneven);
    DepthHistogram panel;
    count(panel, 8, 40, 5);
    count(panel, 8, 200, 5);
    EXPECT_TRUE(panel.estimate(150).is_uneven);
    DepthHistogram deep_panel;
    count(deep_panel, 8, 5'000, 50);
    EXPECT_TRUE(deep_panel.estimate(150).is_uneven);
    DepthHistogram genome;
    count_normal(genome, 30, 6);
    EXPECT_FALSE(genome.estimate(150).is_uneven);
    DepthHistogram shallow;  // by chance
    count(shallow, 8, 0, 300);
    count(shallow, 8, 2, 300);
    count(shallow, 8, 5, 300);
    EXPECT_FALSE(shallow.estimate(150).is_uneven);
    EXPECT_FALSE(DepthHistogram().estimate(150).is_uneven);
}

TEST(ExpectedDepth, sums_do_not_depend_on_the_order) {
    DepthHistogram one, two, both;
    count(one, 8, 30, 60);
    count(two, 9, 30, 60);
    count(both, 9, 30, 60);
    count(both, 8, 30, 60);
    one.add(two);
    EXPECT_EQ(one, both);
}

TEST(ExpectedDepth, bins_have_the_depth_of_their_gc) {
    ExpectedDepth expected;
    for (size_t gc = 0; gc < k_gc_classes; ++gc) expected.by_gc[gc] = static_cast<int64_t>(gc + 1) * 256;
    ReferenceSlice slice;
    std::vector<int64_t> depths{1, 2, 3};
    ExpectedDepth().of_bins(slice, 0, 1'024, depths);
    EXPECT_TRUE(depths.empty());
    expected.of_bins(slice, 0, 600, depths);
    EXPECT_EQ(depths, (std::vector<int64_t>{0, 0, 0}));  // all N
    const std::string letters = std::string(512, 'A') + std::string(512, 'G');
    slice.load(*make_reference(letters), 0, 0, 1'024);
    expected.of_bins(slice, 0, 1'024, depths);
    // 128 bp on either side count: a quarter of the second bin is G, three quarters of the third.
    EXPECT_EQ(depths, (std::vector<int64_t>{1 * 256, 6 * 256, 16 * 256, 21 * 256}));
}

}  // namespace
}  // namespace gannet::variants
