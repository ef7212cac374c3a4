// SPDX-License-Identifier: MIT
// Tests the limits of QUAL and GQ.
#include "variants/quality_caps.hpp"

#include <gtest/gtest.h>

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
    EXPECT_EQ(quality_caps(site).quality, 12);
    EXPECT_EQ(quality_caps(heterozygous(true, 25, 5)).genotype_quality, 5);
    EXPECT_EQ(quality_caps(heterozygous(false, 23, 7)).quality, 8);
    site.has_reference_allele = false;
    EXPECT_EQ(quality_caps(site).quality, 40);
}

TEST(QualityCaps, strands_and_mapping_quality_lower_the_limit) {
    SiteStatistics site = heterozygous(true, 15, 15);
    site.strand_bias_centi = 1599;
    EXPECT_EQ(quality_caps(site).quality, 40);
    site.strand_bias_centi = 1600;
    EXPECT_EQ(quality_caps(site).quality, 21);
    site.mapping_quality = 40;
    EXPECT_EQ(quality_caps(site).genotype_quality, 10) << "the lowest limit holds";
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

}  // namespace
}  // namespace gannet::variants
