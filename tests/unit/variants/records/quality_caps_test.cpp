// SPDX-License-Identifier: MIT
// Tests the limits of QUAL and GQ.
#include "variants/records/quality_caps.hpp"

#include "tests/unit/variants/caller_support.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gannet::variants {
namespace {

SiteStatistics heterozygous(bool is_snp, int32_t reference, int32_t alternate) {
    SiteStatistics site;
    site.is_snp = is_snp;
    site.has_reference_allele = true;
    site.reference_depth = reference;
    site.alternate_depth = alternate;
    site.mapping_quality = 60;
    return site;
}

TEST(QualityCaps, plain_calls_have_the_limit_of_their_kind) {
    EXPECT_EQ(quality_caps(heterozygous(true, 15, 15)).quality, 40);
    EXPECT_EQ(quality_caps(heterozygous(true, 15, 15)).genotype_quality, 40);
    EXPECT_EQ(quality_caps(heterozygous(false, 15, 15)).quality, 31);
    EXPECT_EQ(quality_caps(heterozygous(false, 15, 15)).genotype_quality, 30);
}

TEST(QualityCaps, few_alternate_reads_count_at_heterozygous_sites_only) {
    // 7 or fewer of 30: Phred 25.8; 5 or fewer: Phred 37.9.
    SiteStatistics site = heterozygous(true, 23, 7);
    EXPECT_EQ(quality_caps(site).quality, 14);
    EXPECT_EQ(quality_caps(heterozygous(true, 25, 5)).genotype_quality, 5);
    EXPECT_EQ(quality_caps(heterozygous(false, 23, 7)).quality, 8);
    site.has_reference_allele = false;
    EXPECT_EQ(quality_caps(site).quality, 40);
}

TEST(QualityCaps, reads_within_a_long_deletion_do_not_lower_the_limit) {
    SiteStatistics site = heterozygous(false, 45, 15);
    site.read_bp = 150;
    EXPECT_EQ(quality_caps(site).quality, 8);
    site.deleted_bp = 300;
    EXPECT_EQ(quality_caps(site).quality, 31);
}

TEST(QualityCaps, a_site_with_few_alternate_reads_has_a_lower_limit) {
    EXPECT_EQ(quality_caps(heterozygous(true, 3, 4)).quality, 40);
    EXPECT_EQ(quality_caps(heterozygous(true, 3, 3)).quality, 30);
    EXPECT_EQ(quality_caps(heterozygous(true, 3, 2)).genotype_quality, 21);
    EXPECT_EQ(quality_caps(heterozygous(false, 8, 8)).quality, 31);
    EXPECT_EQ(quality_caps(heterozygous(false, 8, 7)).quality, 25);
    EXPECT_EQ(quality_caps(heterozygous(false, 3, 3)).quality, 22);
    SiteStatistics site = heterozygous(true, 0, 2);
    site.has_reference_allele = false;
    EXPECT_EQ(quality_caps(site).quality, 40) << "no read speaks against the SNV";
    site.is_snp = false;
    EXPECT_EQ(quality_caps(site).quality, 22) << "the reads may have another length of a repeat";
}

TEST(QualityCaps, limit_is_the_probability_of_a_systematic_error) {
    SiteStatistics site = heterozygous(true, 15, 15);
    site.systematic_error_odds = -25 * int64_t{k_log_scale} / 10;  // 1 : 316
    EXPECT_EQ(quality_caps(site).quality, 25);
    EXPECT_EQ(quality_caps(site).genotype_quality, 25);
    site.systematic_error_odds = 0;  // one half
    EXPECT_EQ(quality_caps(site).quality, 3);
    site.systematic_error_odds = k_no_systematic_error;
    EXPECT_EQ(quality_caps(site).quality, 40);
    site.systematic_error_odds = 0;
    site.has_reference_allele = false;
    EXPECT_EQ(quality_caps(site).quality, 40) << "no read of either strand has the reference's base";
}

TEST(QualityCaps, strands_and_mapping_quality_lower_the_limit) {
    SiteStatistics site = heterozygous(true, 15, 15);
    site.strand_bias_centi = 1599;
    EXPECT_EQ(quality_caps(site).quality, 40);
    site.strand_bias_centi = 1600;
    EXPECT_EQ(quality_caps(site).quality, 21);
    site.mapping_quality = 40;
    EXPECT_EQ(quality_caps(site).genotype_quality, 12) << "the lowest limit holds";
    site.strand_bias_centi = 3000;
    EXPECT_EQ(quality_caps(site).genotype_quality, 5);
    site = heterozygous(true, 15, 15);
    site.mapping_quality = 70;
    EXPECT_EQ(quality_caps(site).quality, 40) << "of other aligners";
}

TEST(QualityCaps, call_keeps_its_quality_without_limit_beside_the_new_one) {
    data::Variant variant;
    variant.quality_centi = 60000;
    variant.genotype_quality = 99;
    cap_qualities(heterozygous(true, 15, 15), 1000, variant);
    EXPECT_EQ(variant.quality_centi, 4000);
    EXPECT_EQ(variant.genotype_quality, 40);
    EXPECT_EQ(variant.uncapped_quality_centi, 60000);

    variant.quality_centi = 2050;
    variant.genotype_quality = 17;
    cap_qualities(heterozygous(true, 15, 15), 1000, variant);
    EXPECT_EQ(variant.quality_centi, 2050) << "lower than the limit";
    EXPECT_EQ(variant.genotype_quality, 17);
}

TEST(QualityCaps, quality_of_a_passing_call_stays_above_the_threshold) {
    data::Variant variant;
    variant.quality_centi = 20000;
    variant.genotype_quality = 99;
    cap_qualities(heterozygous(true, 25, 5), 1000, variant);
    EXPECT_EQ(variant.quality_centi, 1000);
    EXPECT_EQ(variant.genotype_quality, 5);

    variant.quality_centi = 700;  // LowQual already
    cap_qualities(heterozygous(true, 25, 5), 1000, variant);
    EXPECT_EQ(variant.quality_centi, 700);
}

TEST(QualityCaps, the_more_reads_stutter_the_lower_is_the_limit) {
    SiteStatistics site = heterozygous(false, 15, 15);
    const auto limit = [&](int32_t stutter) {
        site.stutter_per_million = stutter;
        return quality_caps(site).quality;
    };
    EXPECT_EQ(limit(999), 31);
    EXPECT_EQ(limit(1'000), 17);
    EXPECT_EQ(limit(99'999), 17);
    EXPECT_EQ(limit(100'000), 13);
    EXPECT_EQ(limit(1'000'000), 4);
    EXPECT_EQ(quality_caps(site).genotype_quality, 4);
}

class StutterTest : public ::testing::Test {
  protected:
    static constexpr size_t k_length = 15;

    /// A homopolymer of 15 bases from position 4 on; the table has `quality` at its length.
    int32_t stutter(const Allele& allele, uint8_t quality) {
        GapQualityTable gaps = usual_gap_qualities();
        gaps.homopolymer[k_length] = quality;
        return stutter_per_million(slice_, allele, arena_, gaps);
    }
    void SetUp() override {
        const std::string letters = "GACG" + std::string(k_length, 'T') + "CAGACGTCA";
        slice_.load(*testing::make_reference(letters), 0, 0, static_cast<int64_t>(letters.size()));
    }

    ReferenceSlice slice_;
    std::vector<data::Base> arena_{data::k_base_of_letter['T'], data::k_base_of_letter['C']};
};

TEST_F(StutterTest, only_libraries_worse_than_usual_count) {
    const Allele deletion{4, 1, 0, 0};
    const uint8_t usual = usual_gap_qualities().homopolymer[k_length];
    EXPECT_EQ(stutter(deletion, usual), 0);
    EXPECT_EQ(stutter(deletion, static_cast<uint8_t>(usual - 4)), 0) << "2.5 times as many";
    EXPECT_NEAR(stutter(deletion, static_cast<uint8_t>(usual - 5)), 31e6 * std::pow(10, -(usual - 5) / 10.0),
                5);
    EXPECT_EQ(stutter(deletion, 10), 1'000'000) << "31 bases at which one in ten reads stutters";
}

TEST_F(StutterTest, other_repeats_do_not_count_if_homopolymers_are_as_usual) {
    GapQualityTable gaps = usual_gap_qualities();
    gaps.period_2.fill(20);
    const std::string letters = "GGTGACACACACACACACACAGTTG";
    slice_.load(*testing::make_reference(letters), 0, 0, static_cast<int64_t>(letters.size()));
    const Allele deletion{4, 2, 0, 0};
    EXPECT_EQ(stutter_per_million(slice_, deletion, arena_, gaps), 0);
    gaps.homopolymer[k_length] -= 5;
    EXPECT_GT(stutter_per_million(slice_, deletion, arena_, gaps), 0);
}

TEST_F(StutterTest, only_indels_of_the_repeat_count) {
    EXPECT_GT(stutter({4, 0, 0, 1}, 20), 0) << "insertion of T";
    EXPECT_EQ(stutter({4, 0, 1, 1}, 20), 0) << "insertion of C";
    EXPECT_EQ(stutter({5, 1, 1, 1}, 20), 0) << "SNV";
    EXPECT_EQ(stutter({20, 1, 0, 0}, 20), 0) << "deletion outside the repeat";
}

}  // namespace
}  // namespace gannet::variants
