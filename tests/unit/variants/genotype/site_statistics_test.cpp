// SPDX-License-Identifier: MIT
// Tests the statistics of candidate alleles and which sites keep the caller's genotype without the network.
#include "variants/genotype/site_statistics.hpp"

#include "ml/example.hpp"
#include "variants/scorer/example_builder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <numeric>
#include <vector>

namespace gannet::variants {
namespace {

constexpr int64_t k_position = 1'000;

/// A site of a reference and `alternates` SNPs whose counts are set; likelihoods are in decades, VCF order.
SiteEvidence make_evidence(const std::vector<std::array<int32_t, 2>>& strands,
                           const std::vector<int64_t>& decades, size_t ploidy = 2) {
    SiteEvidence evidence;
    evidence.reset(strands.size(), ploidy);
    for (size_t i = 1; i < strands.size(); ++i) evidence.priors[i] = -3 * k_log_scale;
    for (size_t allele = 0; allele < strands.size(); ++allele) {
        for (int strand = 0; strand < 2; ++strand)
            for (int32_t i = 0; i < strands[allele][static_cast<size_t>(strand)]; ++i)
                evidence.count(allele, strand == 1, 60);
    }
    for (size_t i = 0; i < decades.size(); ++i) evidence.genotypes[i] = decades[i] * k_log_scale;
    return evidence;
}

TEST(AlleleStatistics, haploid_allele_is_of_the_classes_of_no_and_of_all_copies) {
    const AlleleStatistics allele = statistics_of(make_evidence({{0, 1}, {6, 9}}, {-40, -5}, 1), 1, false);
    EXPECT_EQ(allele.copies, 2u);
    EXPECT_EQ(allele.posterior[0], ml::k_min_posterior);
    EXPECT_EQ(allele.posterior[1], ml::k_min_posterior);
    EXPECT_EQ(allele.posterior[2], 0);
    EXPECT_EQ(allele.likelihood[0], -40 * k_log_scale);
    EXPECT_LT(allele.likelihood[1], allele.likelihood[0]);
    EXPECT_EQ(allele.likelihood[2], -5 * k_log_scale);
    EXPECT_TRUE(allele.site.is_homozygous);
    EXPECT_FALSE(allele.site.has_reference_allele);
    // 35 decades for it, three of them for the prior.
    EXPECT_EQ(allele.site.quality_centi, 32'000);
}

TEST(AlleleStatistics, heterozygous_allele_has_its_counts_and_posterior) {
    const AlleleStatistics allele = statistics_of(make_evidence({{8, 7}, {6, 9}}, {-40, -5, -45}), 1, false);
    EXPECT_EQ(allele.copies, 1u);
    EXPECT_TRUE(allele.site.is_snp);
    EXPECT_TRUE(allele.site.has_reference_allele);
    EXPECT_FALSE(allele.site.is_homozygous);
    EXPECT_EQ(allele.site.strand_counts, (std::array<int32_t, 4>{8, 7, 6, 9}));
    EXPECT_EQ(allele.site.reference_depth, 15);
    EXPECT_EQ(allele.site.alternate_depth, 15);
    EXPECT_EQ(allele.site.depth, 30);
    EXPECT_EQ(allele.site.mapping_quality, 60);
    EXPECT_EQ(allele.site.quality_centi, 32'000);  // 35 decades less the prior's three
    EXPECT_EQ(allele.posterior, (std::array<int32_t, 3>{ml::k_min_posterior, 0, ml::k_min_posterior}));
    EXPECT_EQ(allele.likelihood[1], -5 * k_log_scale);
    EXPECT_EQ(allele.genotype_quality_centi(), 6'000);
}

TEST(AlleleStatistics, other_alternates_count_as_reference) {
    // Genotypes 0/0 0/1 1/1 0/2 1/2 2/2: 1/2 is best.
    const SiteEvidence evidence = make_evidence({{1, 2}, {5, 4}, {3, 6}}, {-90, -40, -60, -40, -5, -60});
    const AlleleStatistics first = statistics_of(evidence, 1, true);
    EXPECT_EQ(first.copies, 1u);
    EXPECT_FALSE(first.site.is_snp);
    EXPECT_EQ(first.site.strand_counts, (std::array<int32_t, 4>{4, 8, 5, 4}));
    EXPECT_EQ(first.rival_depth, 9);
    EXPECT_EQ(first.alternates, 2u);
    const AlleleStatistics second = statistics_of(evidence, 2, true);
    EXPECT_EQ(second.site.strand_counts, (std::array<int32_t, 4>{6, 6, 3, 6}));
    EXPECT_EQ(second.index, 2u);
}

TEST(AlleleStatistics, posteriors_sum_to_one) {
    const SiteEvidence evidence = make_evidence({{9, 9}, {2, 2}}, {-3, -1, -4});
    const auto posterior = copies_posterior(evidence, 1);
    const int32_t sum = log_add(log_add(posterior[0], posterior[1]), posterior[2]);
    EXPECT_NEAR(sum, 0, k_log_scale / 500);
    EXPECT_EQ(statistics_of(evidence, 1, false).posterior, posterior);
    EXPECT_EQ(statistics_of(evidence, 1, false).copies, 0u);  // one decade for it, three against
}

/// A heterozygous SNP, and a window around it, in which nothing is unusual.
class IsPlainTest : public ::testing::Test {
  protected:
    IsPlainTest() {
        Evidence& evidence = window_.evidence;
        evidence.begin = 0;
        evidence.end = 2 * k_position;
        evidence.depth.assign(static_cast<size_t>(evidence.end) + 1, 30);
        evidence.arena.assign(1, data::Base{2});
        window_.unused_depth.assign(static_cast<size_t>(evidence.end) + 1, 0);
        allele_ = statistics_of(make_evidence({{8, 7}, {7, 8}}, {-40, -5, -45}), 1, false);
    }
    bool is_plain_site(int32_t settle_phred = 40) {
        window_.extra_copy.load(window_.evidence, window_.candidates);
        return plain_phred(window_, allele_, k_position) >= settle_phred;
    }
    void set_depth(int64_t begin, int64_t end, int32_t depth) {
        std::fill(window_.evidence.depth.begin() + begin, window_.evidence.depth.begin() + end, depth);
    }

    WindowAlleles window_;
    AlleleStatistics allele_;
};

TEST_F(IsPlainTest, usual_evidence_is_plain) { EXPECT_TRUE(is_plain_site()); }

TEST_F(IsPlainTest, uncertain_genotypes_are_not) {
    EXPECT_TRUE(is_plain_site(60));
    EXPECT_FALSE(is_plain_site(61));
    allele_.posterior = {-4 * k_log_scale + 100, 0, -5 * k_log_scale};
    EXPECT_FALSE(is_plain_site(40));
    allele_.posterior[0] = -4 * k_log_scale;
    EXPECT_TRUE(is_plain_site(40));
}

TEST_F(IsPlainTest, alleles_that_are_not_called_are_not) {
    allele_.posterior = {0, ml::k_min_posterior, ml::k_min_posterior};
    allele_.copies = 0;
    EXPECT_FALSE(is_plain_site());
}

TEST_F(IsPlainTest, each_unusual_number_is_enough) {
    const std::vector<std::pair<const char*, std::function<void(AlleleStatistics&)>>> changes = {
        {"few fragments", [](AlleleStatistics& a) { a.site.depth = 9; }},
        {"several alternates", [](AlleleStatistics& a) { a.alternates = 2; }},
        {"mapping quality", [](AlleleStatistics& a) { a.squared_mapping_quality = 30 * 57 * 57; }},
        {"strands", [](AlleleStatistics& a) { a.site.strand_bias_centi = 1'300; }},
        {"too few of the allele", [](AlleleStatistics& a) { a.allele_shortage_centi = 1'300; }},
        {"too many of the allele", [](AlleleStatistics& a) { a.allele_excess_centi = 1'300; }},
    };
    const AlleleStatistics plain = allele_;
    for (const auto& [name, change] : changes) {
        allele_ = plain;
        change(allele_);
        EXPECT_FALSE(is_plain_site()) << name;
    }
}

TEST_F(IsPlainTest, homozygous_alleles_must_be_in_all_reads) {
    allele_ = statistics_of(make_evidence({{0, 0}, {15, 15}}, {-90, -14, -5}), 1, false);
    EXPECT_TRUE(is_plain_site());
    allele_ = statistics_of(make_evidence({{1, 0}, {15, 15}}, {-90, -14, -5}), 1, false);
    EXPECT_FALSE(is_plain_site());
}

TEST_F(IsPlainTest, unusual_depth_at_the_position_is_not) {
    // The usual depth of the window is 34 (the median that a quartile of 30 implies): 23 to 45 is usual.
    for (const auto& [depth, expected] : {std::pair{22, false}, {23, true}, {45, true}, {46, false}}) {
        set_depth(0, 2 * k_position, 30);
        set_depth(k_position, k_position + 1, depth);
        EXPECT_EQ(is_plain_site(), expected) << depth;
    }
}

TEST_F(IsPlainTest, excess_depth_around_the_position_is_not) {
    set_depth(k_position - 250, k_position + 250, 43);
    EXPECT_FALSE(is_plain_site());
    set_depth(k_position - 250, k_position + 250, 42);
    EXPECT_TRUE(is_plain_site());
}

TEST_F(IsPlainTest, reads_of_low_mapping_quality_are_not) {
    window_.unused_depth[k_position] = 3;
    EXPECT_TRUE(is_plain_site());
    window_.unused_depth[k_position] = 4;
    EXPECT_FALSE(is_plain_site());
}

TEST_F(IsPlainTest, crowds_of_partial_alleles_are_not) {
    for (int64_t i = 0; i < 14; ++i) {
        const int64_t at = k_position - 400 + 20 * i;
        window_.candidates.push_back({at, at + 1, CandidateKind::snp, {at, 1, 0, 1}, 10});
    }
    EXPECT_TRUE(is_plain_site());
    const int64_t at = k_position + 500;
    window_.candidates.push_back({at, at + 1, CandidateKind::snp, {at, 1, 0, 1}, 10});
    EXPECT_FALSE(is_plain_site());
}

}  // namespace
}  // namespace gannet::variants
