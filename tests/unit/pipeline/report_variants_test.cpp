// SPDX-License-Identifier: MIT
// Checks the figures of variants in a report against values computed by hand, and which records are shown.
#include "pipeline/report/variant_figures.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gannet::pipeline::report {
namespace {

constexpr const char* k_line = "chr1\t100\t.\tA\tG\t38.7\tPASS\t.\tGT:AD:GQ:DP:VAF\t";

TEST(ReportVariants, figures_are_those_of_passing_records) {
    VariantFigures figures;
    const std::string line = k_line;
    EXPECT_TRUE(figures.add(line + "0/1:10,10:40:20:0.5"));
    EXPECT_TRUE(figures.add(line + "1/1:0,30:35:30:1"));
    EXPECT_TRUE(figures.add("chr1\t200\t.\tC\tA\t30\tLowQual\t.\tGT\t0/1"));               // does not pass
    EXPECT_TRUE(figures.add("chr1\t300\t.\tCA\tC,CAAA\t20\tPASS\t.\tGT:GQ:DP\t1/2:9:8"));  // -1 and +2 bp
    EXPECT_TRUE(figures.add("chr1\t400\t.\tG\tT\t20\t.\t.\tGT:AD\t0|1:29,21"));            // no VAF: 21 of 50
    EXPECT_TRUE(figures.add("chr1\t500\t.\tG\t.\t.\t.\tEND=600\tGT\t0/0"));  // a block of a gVCF
    EXPECT_FALSE(figures.add("chr1\tx\t.\tG\tT\t20\tPASS\t."));
    const auto& pass = figures.counts.pass;
    EXPECT_EQ(figures.counts.all.records, 5u);
    EXPECT_EQ(pass.records, 4u);
    EXPECT_EQ(pass.transitions, 2u);
    EXPECT_EQ(pass.transversions, 1u);
    EXPECT_DOUBLE_EQ(figures.transitions_per_transversion(), 2.0);
    EXPECT_DOUBLE_EQ(figures.heterozygous_per_homozygous(), 3.0);
    EXPECT_EQ(figures.substitutions[0][2], 2u);
    EXPECT_EQ(figures.substitutions[2][3], 1u);
    EXPECT_EQ(figures.substitutions[1][0], 0u);
    EXPECT_EQ(figures.indels[VariantFigures::k_max_indel_bp - 1], 1u);
    EXPECT_EQ(figures.indels[VariantFigures::k_max_indel_bp + 2], 1u);
    EXPECT_EQ(figures.fractions[0][25], 1u);
    EXPECT_EQ(figures.fractions[0][21], 1u);
    EXPECT_EQ(figures.fractions[1][VariantFigures::k_fractions - 1], 1u);
    EXPECT_EQ(figures.genotype_qualities[0][40], 1u);
    EXPECT_EQ(figures.genotype_qualities[1][9], 1u);
    EXPECT_EQ(figures.qualities[0][38], 2u);
    EXPECT_EQ(figures.sites_with_depth(), 3u);  // 8, 20, 30
    EXPECT_DOUBLE_EQ(figures.median_depth(), 20);
}

TEST(ReportVariants, median_of_an_even_number_lies_between_two) {
    VariantFigures figures;
    for (const char* depth : {"10", "13", "20", "40"})
        EXPECT_TRUE(figures.add("c\t1\t.\tA\tG\t30\tPASS\t.\tGT:DP\t0/1:" + std::string(depth)));
    EXPECT_DOUBLE_EQ(figures.median_depth(), 16.5);
}

TEST(ReportVariants, doubtful_and_usual_sites_are_chosen) {
    VariantFigures figures;
    for (int at = 1; at <= 9; ++at)
        EXPECT_TRUE(figures.add("c\t" + std::to_string(at) +
                                "\t.\tA\tG\t30\tPASS\t.\tGT:GQ\t0/1:" + std::to_string(24 - at % 7)));
    for (int at = 11; at <= 19; ++at)
        EXPECT_TRUE(figures.add("c\t" + std::to_string(at) + "\t.\tA\tG\t30\tPASS\t.\tGT:GQ\t0/1:30"));
    const auto shown = figures.shown();
    ASSERT_EQ(shown.size(), k_doubtful_sites + k_usual_sites);
    for (size_t i = 0; i < 4; ++i)
        EXPECT_EQ(shown[i].position + 1, static_cast<int64_t>(6 - i)) << i;  // GQ 18, 19, 20, 21
    EXPECT_EQ(shown[4].why, ShownAs::usual);
    EXPECT_GE(shown[4].position, 10);
}

TEST(ReportVariants, places_that_were_asked_for_come_first_called_or_not) {
    VariantFigures figures;
    figures.ask_for({{"d", 7}, {"c", 6}, {"c", 9}, {"c", 8}});
    EXPECT_TRUE(figures.add("c\t5\t.\tACG\tA\t30\tLowQual\t.\tGT:GQ\t0/1:9"));  // covers 5 to 7
    EXPECT_TRUE(figures.add("c\t9\t.\tA\tG\t31\tPASS\t.\tGT:GQ\t0/1:9"));
    EXPECT_TRUE(figures.add("c\t9\t.\tA\tAT\t32\tPASS\t.\tGT:GQ\t0/1:30"));
    const auto shown = figures.shown();
    ASSERT_EQ(shown.size(), 6u);  // the records that pass are chosen as ever
    const auto is = [&shown](size_t at, const char* contig, int64_t position, const char* quality) {
        return shown[at].contig == contig && shown[at].position + 1 == position &&
               shown[at].quality == quality;
    };
    EXPECT_TRUE(is(0, "d", 7, "") && is(1, "c", 6, "30") && is(2, "c", 9, "31") && is(3, "c", 8, ""));
    EXPECT_EQ(shown[0].why, ShownAs::asked_uncalled);
    EXPECT_EQ(shown[1].why, ShownAs::asked);
    EXPECT_EQ(shown[1].filter, "LowQual");
}

}  // namespace
}  // namespace gannet::pipeline::report
