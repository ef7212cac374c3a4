// SPDX-License-Identifier: MIT
// Tests the depth that is expected by GC: its estimate from bins, and its values along a sequence.
#include "variants/sample/expected_depth.hpp"

#include "tests/unit/variants/caller_support.hpp"

#include <gtest/gtest.h>

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
    const ExpectedDepth expected = histogram.estimate();
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
    const ExpectedDepth expected = histogram.estimate();
    EXPECT_EQ(expected.by_gc[0], 30 * 256);
    EXPECT_EQ(expected.by_gc[9], 30 * 256);
    EXPECT_EQ(expected.by_gc[10], 30 * 256);  // as near to both: that of less GC
    EXPECT_EQ(expected.by_gc[11], 24 * 256);
    EXPECT_EQ(expected.by_gc[13], 24 * 256);
}

TEST(ExpectedDepth, uneven_depth_is_not_known) {
    DepthHistogram exome;
    count(exome, 8, 0, 900);
    count(exome, 8, 80, 100);
    EXPECT_FALSE(exome.estimate().is_known());
    DepthHistogram amplicons;
    count(amplicons, 8, 40, 500);
    count(amplicons, 8, 100, 300);
    EXPECT_FALSE(amplicons.estimate().is_known());
    DepthHistogram few;
    count(few, 8, 30, 99);
    EXPECT_FALSE(few.estimate().is_known());
    count(few, 8, 30, 1);
    EXPECT_TRUE(few.estimate().is_known());
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
