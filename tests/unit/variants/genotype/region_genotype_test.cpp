// SPDX-License-Identifier: MIT
// Tests the genotyping of a region from the likelihoods of its haplotypes.
#include "variants/genotype/region_genotype.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace gannet::variants {
namespace {

constexpr int32_t k_fit = -k_log_scale;  // log10 likelihood of a read on a haplotype that explains it

/// A region whose rows are added one at a time. Allele 0 is a SNP at 100; haplotypes are the reference and
/// it.
class RegionGenotyperTest : public ::testing::Test {
  protected:
    /// A row with its log10 likelihood on each haplotype, in units of one decade below k_fit.
    void add(const std::vector<double>& decades_below, uint8_t mapping_quality = 60, bool reverse = false) {
        add_mate(rows_.size(), decades_below, mapping_quality, reverse);
    }
    void add_mate(uint64_t fragment, const std::vector<double>& decades_below, uint8_t mapping_quality = 60,
                  bool reverse = false) {
        rows_.push_back({fragment, mapping_quality, reverse, static_cast<uint32_t>(rows_.size()),
                         1000 + fragment, begin_, end_});
        for (const double decades : decades_below)
            likelihoods_.push_back(k_fit - static_cast<int32_t>(decades * k_log_scale));
    }
    void load() {
        if (priors_.size() != alleles_.size()) priors_.assign(alleles_.size(), -3 * k_log_scale);
        allele_ends_.clear();
        for (const Allele& allele : alleles_)
            allele_ends_.push_back(allele.end() + (allele.is_indel() ? 1 : 0));
        genotyper_.load({alleles_, priors_, haplotypes_, rows_, likelihoods_, allele_ends_, contamination_,
                         region_bp_, haplotype_bp_});
    }
    SiteEvidence evidence(size_t site = 0, size_t ploidy = 2) {
        SiteEvidence out;
        genotyper_.evidence_of(genotyper_.sites()[site], ploidy, out);
        return out;
    }
    /// The genotype that the likelihoods alone favour, as an index in VCF's order.
    static size_t best(const SiteEvidence& evidence) {
        return static_cast<size_t>(std::max_element(evidence.genotypes.begin(), evidence.genotypes.end()) -
                                   evidence.genotypes.begin());
    }

    std::vector<Allele> alleles_{{100, 1, 0, 1}};
    std::vector<AllelePrior> priors_;
    std::vector<AlleleSet> haplotypes_{0, 1};
    std::vector<int64_t> allele_ends_;
    int64_t begin_ = 0, end_ = 200;  // of the rows that are added
    std::vector<LikelihoodRow> rows_;
    std::vector<int32_t> likelihoods_;
    Contamination contamination_;
    int64_t region_bp_ = 0, haplotype_bp_ = 0;
    RegionGenotyper genotyper_;
};

/// The genotype that call_site() chooses: likelihoods and priors together.
size_t called(const SiteEvidence& evidence) {
    size_t best = 0;
    int64_t most = std::numeric_limits<int64_t>::min();
    for_each_genotype(evidence.alleles, evidence.ploidy, [&](const Genotype& genotype) {
        const size_t index = genotype_index(genotype);
        const int64_t value = evidence.genotypes[index] + genotype_prior(evidence.priors, genotype);
        if (value > most) most = value, best = index;
    });
    return best;
}

TEST_F(RegionGenotyperTest, two_reads_of_another_person_leave_a_site_homozygous) {
    for (int i = 0; i < 26; ++i) add({5, 0}, 60, i % 2 == 0);
    for (int i = 0; i < 2; ++i) add({0, 5}, 60, i % 2 == 0);
    load();
    EXPECT_EQ(called(evidence()), genotype_index(diploid(0, 1)));
    contamination_ = Contamination(15'000);
    load();
    EXPECT_EQ(called(evidence()), genotype_index(diploid(1, 1)));
}

TEST_F(RegionGenotyperTest, heterozygous_site_of_a_contaminated_sample_is_kept) {
    for (int i = 0; i < 20; ++i) add({0, 4}, 60, i % 2 == 0);
    for (int i = 0; i < 8; ++i) add({4, 0}, 60, i % 2 == 0);
    load();
    const SiteEvidence clean = evidence();
    contamination_ = Contamination(20'000);
    load();
    EXPECT_EQ(called(evidence()), genotype_index(diploid(0, 1)));
    EXPECT_EQ(evidence().genotypes[1], clean.genotypes[1]);
}

TEST_F(RegionGenotyperTest, contamination_does_not_touch_a_site_without_a_trace_of_it) {
    for (int i = 0; i < 20; ++i) add({4, 0}, 60, i % 2 == 0);
    load();
    const SiteEvidence clean = evidence();
    contamination_ = Contamination(20'000);
    load();
    EXPECT_EQ(evidence().genotypes[2], clean.genotypes[2]);
    EXPECT_EQ(evidence().genotypes[1], clean.genotypes[1]);
}

TEST_F(RegionGenotyperTest, reads_of_the_junction_tell_one_copy_of_a_duplication_from_two) {
    // 200 bases twice, reads of 150, 30x: the positions of reads on the reference haplotype are 380, so that
    // a heterozygous sample has 96 reads and a homozygous one 116.
    alleles_ = {{100, 0, 0, 200}};
    const double double_place = std::log10(2.0);
    const double longer = std::log10(800.0 / 1000.0);  // the pair-HMM divides by the length
    const auto call = [&](int junction, int beside, int within) {
        rows_.clear();
        likelihoods_.clear();
        for (int i = 0; i < junction; ++i) add({5, -longer});
        for (int i = 0; i < beside; ++i) add({0, -longer});
        for (int i = 0; i < within; ++i) add({0, -longer - double_place});
        load();
        return called(evidence());
    };
    EXPECT_EQ(call(13, 66, 15), genotype_index(diploid(1, 1))) << "haplotypes are taken to be equally long";
    haplotype_bp_ = 800;
    region_bp_ = 230;
    end_ = 150;
    EXPECT_EQ(call(13, 66, 15), genotype_index(diploid(0, 1)));
    EXPECT_EQ(call(26, 66, 20), genotype_index(diploid(1, 1)));
    EXPECT_EQ(call(0, 66, 10), genotype_index(diploid(0, 0)));
    alleles_ = {{100, 0, 0, 49}};
    EXPECT_EQ(call(13, 66, 15), genotype_index(diploid(1, 1))) << "a shorter insertion";
}

TEST_F(RegionGenotyperTest, reads_within_a_long_deletion_say_little_against_it) {
    // 300 bases, reads of 150, 30x: of the reference 48 fragments begin where they cover some of them, of the
    // haplotype without them 15.
    alleles_ = {{100, 300, 0, 0}};
    const double shorter = std::log10(500.0 / 800.0);
    const auto call = [&](int junction, int within) {
        rows_.clear();
        likelihoods_.clear();
        for (int i = 0; i < junction; ++i) add({2.5, shorter});
        for (int i = 0; i < within; ++i) add({0, 4});
        load();
        return called(evidence());
    };
    haplotype_bp_ = 800;
    region_bp_ = 330;
    end_ = 150;
    EXPECT_EQ(call(7, 48), genotype_index(diploid(0, 1)));
    EXPECT_EQ(call(1, 48), genotype_index(diploid(0, 0)));
    haplotype_bp_ = 0;
    EXPECT_EQ(call(7, 48), genotype_index(diploid(0, 0))) << "haplotypes are taken to be equally long";
}

TEST_F(RegionGenotyperTest, haplotypes_that_are_parts_of_a_long_deletion_do_not_hide_its_fragments) {
    // Reads of either end fit one of two haplotypes with fewer deleted bases as well.
    alleles_ = {{100, 300, 0, 0}, {100, 40, 0, 0}, {360, 40, 0, 0}};
    alleles_[1].position = 101;
    haplotypes_ = {0, 1, 2, 4};
    for (int i = 0; i < 10; ++i) add({4, 0, 0, 4});
    for (int i = 0; i < 10; ++i) add({4, 0, 4, 0});
    load();
    const SiteEvidence site = evidence();
    EXPECT_EQ(best(site), genotype_index(diploid(1, 1)));
    EXPECT_EQ(site.strands[1][0], 20);
}

TEST_F(RegionGenotyperTest, alleles_that_no_probable_genotype_has_do_not_hide_fragments) {
    alleles_ = {{100, 0, 0, 4}, {100, 0, 4, 8}};  // two insertions; most reads end within them
    haplotypes_ = {0, 1, 2};
    for (int i = 0; i < 10; ++i) add({4, 0, 0});
    for (int i = 0; i < 6; ++i) add({4, 0, 4});
    load();
    const SiteEvidence site = evidence();
    EXPECT_EQ(best(site), genotype_index(diploid(1, 1)));
    EXPECT_EQ(site.strands[1][0], 16);
    EXPECT_EQ(site.strands[2][0], 0);
}

TEST_F(RegionGenotyperTest, alleles_of_probable_genotypes_are_told_apart) {
    alleles_ = {{100, 0, 0, 4}, {100, 0, 4, 8}};
    haplotypes_ = {0, 1, 2};
    for (int i = 0; i < 10; ++i) add({4, 0, 0});
    for (int i = 0; i < 6; ++i) add({4, 0, 4});
    for (int i = 0; i < 5; ++i) add({4, 4, 0});
    load();
    const SiteEvidence site = evidence();
    EXPECT_EQ(best(site), genotype_index(diploid(1, 2)));
    EXPECT_EQ(site.strands[1][0], 6);
    EXPECT_EQ(site.strands[2][0], 5);
}

TEST_F(RegionGenotyperTest, reads_of_both_haplotypes_are_heterozygous) {
    for (int i = 0; i < 6; ++i) add({0, 3}, 60, i % 2 == 0);
    for (int i = 0; i < 4; ++i) add({3, 0}, 50, true);
    load();
    ASSERT_EQ(genotyper_.sites().size(), 1u);
    const SiteEvidence site = evidence();
    EXPECT_EQ(best(site), genotype_index(diploid(0, 1)));
    EXPECT_EQ(site.strands[0], (std::array<int32_t, 2>{3, 3}));
    EXPECT_EQ(site.strands[1], (std::array<int32_t, 2>{0, 4}));
    EXPECT_EQ(site.fragments, 10);
    EXPECT_EQ(site.squared_mapping_quality, 6 * 3600 + 4 * 2500);
    // Ten reads, each of which has one haplotype with probability 1/2 and nearly never the other.
    EXPECT_NEAR(site.genotypes[genotype_index(diploid(0, 1))], 10 * (k_fit + k_log_half),
                10 * k_log_scale / 1000);
    EXPECT_NEAR(site.genotypes[0], 10 * k_fit - 4 * 3 * k_log_scale, 10);
}

TEST_F(RegionGenotyperTest, reads_of_one_haplotype_are_homozygous) {
    for (int i = 0; i < 8; ++i) add({3, 0});
    load();
    EXPECT_EQ(best(evidence()), genotype_index(diploid(1, 1)));
}

TEST_F(RegionGenotyperTest, haploid_genotypes_are_the_homozygous_ones) {
    for (int i = 0; i < 6; ++i) add({0, 3}, 60, i % 2 == 0);
    for (int i = 0; i < 4; ++i) add({3, 0}, 50, true);
    load();
    const SiteEvidence two = evidence(0, 2);
    const SiteEvidence one = evidence(0, 1);
    EXPECT_EQ(one.genotypes, (std::vector<int64_t>{two.genotypes[genotype_index(diploid(0, 0))],
                                                   two.genotypes[genotype_index(diploid(1, 1))]}));
    EXPECT_EQ(best(one), genotype_index(haploid(0)));
    EXPECT_EQ(one.strands, two.strands);
    EXPECT_EQ(evidence(0, 2).genotypes, two.genotypes);  // scored again after another ploidy
}

TEST_F(RegionGenotyperTest, mates_are_averaged_and_count_once) {
    add_mate(7, {0, 4}, 30);
    add_mate(7, {0, 2}, 60, true);
    load();
    const SiteEvidence site = evidence();
    EXPECT_EQ(site.fragments, 1);
    EXPECT_EQ(site.strands[0], (std::array<int32_t, 2>{1, 0}));  // the strand of the first read
    EXPECT_EQ(site.squared_mapping_quality, 3600);               // the better of both mapping qualities
    EXPECT_NEAR(site.genotypes[genotype_index(diploid(1, 1))] - site.genotypes[0], -3 * k_log_scale, 2);
}

TEST_F(RegionGenotyperTest, mates_that_disagree_decide_nothing) {
    add_mate(7, {0, 3});
    add_mate(7, {3, 0});
    load();
    const SiteEvidence site = evidence();
    EXPECT_EQ(site.fragments, 0);
    EXPECT_NEAR(site.genotypes[genotype_index(diploid(1, 1))] - site.genotypes[0], 0, 2);
}

TEST_F(RegionGenotyperTest, a_fragment_counts_no_more_than_its_mapping_quality) {
    add({0, 13}, 20);
    load();
    EXPECT_NEAR(evidence().genotypes[genotype_index(diploid(1, 1))] - evidence().genotypes[0],
                -2 * k_log_scale, 2);
    rows_.clear();
    likelihoods_.clear();
    add({0, 13}, 60);
    load();
    EXPECT_NEAR(evidence().genotypes[genotype_index(diploid(1, 1))] - evidence().genotypes[0],
                -45 * k_log_scale / 10, 2);
}

TEST_F(RegionGenotyperTest, reads_that_fit_no_haplotype_are_left_out) {
    add({13.5, 16});
    load();
    EXPECT_EQ(evidence().fragments, 0);
    EXPECT_EQ(evidence().genotypes[0], 0);
    add({12.5, 16});
    load();
    EXPECT_EQ(evidence().fragments, 1);
}

TEST_F(RegionGenotyperTest, indifferent_reads_are_not_counted) {
    add({0, 0.15});
    add({0, 0.25});
    load();
    EXPECT_EQ(evidence().fragments, 1);
}

TEST_F(RegionGenotyperTest, alternates_of_a_position_share_a_site_and_indels_have_their_own) {
    alleles_ = {{100, 0, 0, 2}, {100, 1, 0, 1}, {100, 1, 1, 1}, {105, 1, 0, 1}};
    haplotypes_ = {0, 0b0010, 0b0100, 0b0001};  // allele 3 is on no haplotype
    add({0, 3, 3, 3});
    add({3, 0, 3, 3});
    add({3, 3, 0, 3});
    load();
    ASSERT_EQ(genotyper_.sites().size(), 2u);
    EXPECT_EQ(genotyper_.sites()[0].alleles, std::vector<uint32_t>{0});
    EXPECT_EQ(genotyper_.sites()[1].alleles, (std::vector<uint32_t>{1, 2}));
    const SiteEvidence snp = evidence(1);
    EXPECT_EQ(snp.alleles, 3u);
    EXPECT_EQ(snp.strands[0][0], 1);
    EXPECT_EQ(snp.strands[1][0], 1);
    EXPECT_EQ(snp.strands[2][0], 1);
}

TEST_F(RegionGenotyperTest, alleles_on_one_haplotype_are_both_heterozygous) {
    alleles_ = {{100, 1, 0, 1}, {110, 1, 0, 1}};
    haplotypes_ = {0, 0b11};
    for (int i = 0; i < 6; ++i) add(i % 2 == 0 ? std::vector<double>{0, 3} : std::vector<double>{3, 0});
    load();
    ASSERT_EQ(genotyper_.sites().size(), 2u);
    for (size_t site = 0; site < 2; ++site)
        EXPECT_EQ(best(evidence(site)), genotype_index(diploid(0, 1))) << site;
    // No haplotype has one without the other, so no genotype of the pair does.
    EXPECT_EQ(evidence(0).genotypes, evidence(1).genotypes);
}

TEST_F(RegionGenotyperTest, a_dense_haplotype_needs_no_more_reads_than_its_rarest_allele) {
    alleles_.clear();
    for (int64_t i = 0; i < 30; ++i) alleles_.push_back({100 + 4 * i, 1, 0, 1});
    haplotypes_ = {0, (AlleleSet{1} << 30) - 1};
    for (int i = 0; i < 9; ++i) add({0, 30}, 60, i % 2 == 0);
    for (int i = 0; i < 7; ++i) add({30, 0}, 60, i % 2 == 0);  // 31 decades, where 30 alleles cost 90
    load();
    for (size_t site = 0; site < alleles_.size(); ++site)
        EXPECT_EQ(called(evidence(site)), genotype_index(diploid(0, 1))) << site;
}

TEST_F(RegionGenotyperTest, a_neighbour_does_not_move_the_likelihoods_of_a_site) {
    for (int i = 0; i < 6; ++i) add({0, 3});
    for (int i = 0; i < 4; ++i) add({3, 0});
    load();
    const SiteEvidence alone = evidence();
    rows_.clear();
    likelihoods_.clear();
    alleles_ = {{100, 1, 0, 1}, {110, 1, 0, 1}, {120, 1, 0, 1}};  // the two others are on both haplotypes
    haplotypes_ = {0, 0b001, 0b110, 0b111};
    for (const LogProbability prior : {-3, -1, -6}) {
        priors_ = {-3 * k_log_scale, prior * k_log_scale, prior * k_log_scale};
        rows_.clear();
        likelihoods_.clear();
        for (int i = 0; i < 6; ++i) add({4, 4.5, 0, 3});
        for (int i = 0; i < 4; ++i) add({4.5, 4, 3, 0});
        load();
        const SiteEvidence beside = evidence();
        for (size_t g = 0; g < alone.genotypes.size(); ++g)
            EXPECT_EQ(beside.genotypes[g] - beside.genotypes[1], alone.genotypes[g] - alone.genotypes[1])
                << g;
    }
}

TEST_F(RegionGenotyperTest, another_explanation_costs_its_own_prior) {
    alleles_ = {{100, 0, 0, 1}, {105, 1, 0, 1}};  // the reads fit a frequent indel as well as an SNV
    priors_ = {-1 * k_log_scale, -3 * k_log_scale};
    haplotypes_ = {0, 0b01, 0b10};
    for (int i = 0; i < 5; ++i) add({0, 4, 4});
    for (int i = 0; i < 5; ++i) add({4, 0, 0});
    load();
    const SiteEvidence indel = evidence(0);
    EXPECT_EQ(indel.genotypes[1] - indel.genotypes[0], 3 * k_log_scale);
    EXPECT_EQ(called(indel), genotype_index(diploid(0, 1)));
    const SiteEvidence snv = evidence(1);
    EXPECT_EQ(snv.genotypes[1] - snv.genotypes[0], 1 * k_log_scale);
    EXPECT_EQ(called(snv), genotype_index(diploid(0, 0)));
}

TEST_F(RegionGenotyperTest, fragments_over_a_site_are_seen_with_their_allele) {
    add({0, 3});
    add({3, 0}, 25);
    begin_ = 101;  // after the site
    add({0, 3});
    begin_ = 0, end_ = 100;  // before it
    add({0, 3});
    end_ = 101;
    add({0, 9});
    load();
    const SiteEvidence site = evidence();
    EXPECT_EQ(site.fragments, 5);
    ASSERT_EQ(site.seen.size(), 3u);
    EXPECT_EQ(site.seen[0].fragment, 1000u);
    EXPECT_EQ(site.seen[0].allele, 0);
    EXPECT_EQ(site.seen[0].phred, 30);
    EXPECT_EQ(site.seen[1].allele, 1);
    EXPECT_EQ(site.seen[1].phred, 25);  // no more than the mapping quality
    EXPECT_EQ(site.seen[2].phred, 45);
}

TEST_F(RegionGenotyperTest, mates_reach_over_a_site_together) {
    begin_ = 0, end_ = 90;
    add_mate(7, {0, 3});
    begin_ = 80, end_ = 120;
    add_mate(7, {0, 3});
    load();
    ASSERT_EQ(evidence().seen.size(), 1u);
}

/// Allele 0 deletes 100 to 109; allele 1 is a SNP at 105, on the other haplotype.
class SpanningDeletionTest : public RegionGenotyperTest {
  protected:
    SpanningDeletionTest() {
        alleles_ = {{100, 10, 0, 0}, {105, 1, 0, 1}};
        haplotypes_ = {0, 0b01, 0b10};
    }
    SiteEvidence beside_deletion() {
        SiteEvidence out;
        const RegionSite& site = genotyper_.sites()[1];
        genotyper_.evidence_of(site, 2, genotyper_.spanning_deletions(site), out);
        return out;
    }
};

TEST_F(SpanningDeletionTest, deleted_haplotype_has_an_allele_of_its_own) {
    for (int i = 0; i < 6; ++i) add({3, 0, 3});
    for (int i = 0; i < 5; ++i) add({3, 3, 0});
    load();
    ASSERT_EQ(genotyper_.sites().size(), 2u);
    EXPECT_EQ(genotyper_.spanning_deletions(genotyper_.sites()[0]), 0u);
    ASSERT_EQ(genotyper_.spanning_deletions(genotyper_.sites()[1]), 0b01u);
    EXPECT_EQ(evidence(1).strands[0][0], 6);  // without `*` the deleted haplotype is the reference's
    const SiteEvidence site = beside_deletion();
    ASSERT_EQ(site.alleles, 3u);
    EXPECT_TRUE(site.is_spanning(2));
    EXPECT_FALSE(site.is_spanning(1));
    EXPECT_EQ(site.strands[0][0], 0);
    EXPECT_EQ(site.strands[1][0], 5);
    EXPECT_EQ(site.strands[2][0], 6);
    EXPECT_EQ(best(site), genotype_index(diploid(1, 2)));
    EXPECT_FALSE(site.is_variant(diploid(0, 2)));
    EXPECT_TRUE(site.is_variant(diploid(1, 2)));
    EXPECT_EQ(site.prior(diploid(1, 2)), site.prior(diploid(0, 1)));
    const auto site_genotype = call_site(site, 300);
    ASSERT_TRUE(site_genotype);
    const auto& [variant, called] = *site_genotype;
    EXPECT_EQ(called, (std::vector<size_t>{0, 1, 2}));
    EXPECT_EQ(variant.genotype, (std::array<int8_t, 2>{1, 2}));
    EXPECT_EQ(variant.allele_depth, (std::vector<int32_t>{0, 5, 6}));
    ASSERT_EQ(variant.likelihoods.size(), 6u);
    EXPECT_EQ(variant.likelihoods[genotype_index(diploid(1, 2))], 0);
    EXPECT_GT(variant.likelihoods[genotype_index(diploid(0, 1))], 99);
    EXPECT_EQ(variant.strand_counts, (std::array<int32_t, 4>{6, 0, 5, 0}));
    // As sure of the SNP as without `*`.
    const auto plain = call_site(evidence(1), 300);
    ASSERT_TRUE(plain);
    EXPECT_NEAR(variant.quality_centi, plain->record.quality_centi, 100);
}

TEST_F(SpanningDeletionTest, deletion_alone_is_no_variant_of_the_site) {
    for (int i = 0; i < 6; ++i) add({3, 0, 3});
    for (int i = 0; i < 5; ++i) add({0, 3, 3});
    load();
    EXPECT_FALSE(call_site(beside_deletion(), 300));
}

TEST_F(RegionGenotyperTest, order_of_rows_does_not_matter) {
    std::mt19937_64 random(3);
    std::vector<std::vector<double>> reads;
    for (int i = 0; i < 40; ++i)
        reads.push_back({static_cast<double>(random() % 50) / 10, static_cast<double>(random() % 50) / 10});
    SiteEvidence first;
    for (int round = 0; round < 5; ++round) {
        rows_.clear();
        likelihoods_.clear();
        for (const auto& read : reads) add(read);
        load();
        if (round == 0) first = evidence();
        EXPECT_EQ(evidence().genotypes, first.genotypes);
        EXPECT_EQ(evidence().strands, first.strands);
        std::shuffle(reads.begin(), reads.end(), random);
    }
}

}  // namespace
}  // namespace gannet::variants
