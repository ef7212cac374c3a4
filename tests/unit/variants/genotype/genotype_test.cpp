// SPDX-License-Identifier: MIT
// Tests log arithmetic, site genotypes and filters against numbers worked out by hand or by libm.
#include "variants/genotype/genotype.hpp"

#include "tests/unit/variants/caller_support.hpp"
#include "variants/arithmetic/exact_tests.hpp"
#include "variants/records/filters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace gannet::variants {
namespace {

using namespace testing;

double log10_of(int64_t value) { return static_cast<double>(value) / k_log_scale; }

TEST(LogMath, tables_agree_with_libm) {
    for (int q = 2; q < 94; ++q) {
        EXPECT_NEAR(log10_of(k_log_correct[static_cast<size_t>(q)]), std::log10(1 - std::pow(10, -q / 10.0)),
                    1e-5)
            << q;
        EXPECT_NEAR(log10_of(log_wrong(static_cast<uint32_t>(q))), -q / 10.0 - std::log10(3), 1e-4) << q;
    }
}

TEST(LogMath, addition_is_within_a_thousandth_of_a_decade) {
    for (int64_t a = -8 * k_log_scale; a <= 0; a += 4321) {
        const double exact = std::log10(std::pow(10, log10_of(a)) + std::pow(10, -1.0));
        EXPECT_NEAR(log10_of(log_add<int64_t>(a, -k_log_scale)), exact, 1e-3) << a;
        EXPECT_EQ(log_add<int64_t>(a, -k_log_scale), log_add<int64_t>(-k_log_scale, a));
    }
    EXPECT_NEAR(log10_of(log_add<int32_t>(0, 0)), std::log10(2), 1e-5);
}

TEST(LogMath, phred_is_rounded_to_nearest) {
    EXPECT_EQ(phred_centi(-k_log_scale), 1000);
    EXPECT_EQ(phred_centi(-k_log_scale / 2), 500);
    EXPECT_EQ(phred_centi(k_log_scale), 0);
}

/// Likelihoods by hand: `reference` and `alternate` reads of quality 30.
SiteEvidence counted(int reference, int alternate) {
    SiteEvidence evidence;
    evidence.reset(2, 2);
    evidence.priors[1] = -3 * k_log_scale;
    const int64_t right = k_log_correct[30], wrong = log_wrong(30),
                  half = log_add<int32_t>(k_log_correct[30], log_wrong(30)) + k_log_half;
    evidence.genotypes = {reference * right + alternate * wrong, (reference + alternate) * half,
                          reference * wrong + alternate * right};
    for (int i = 0; i < reference; ++i) evidence.count(0, i % 2 == 0, 60);
    for (int i = 0; i < alternate; ++i) evidence.count(1, i % 2 == 0, 50);
    return evidence;
}

TEST(GenotypePrior, two_alternates_have_the_lower_of_what_both_allow) {
    const std::array<AllelePrior, 4> priors{
        {{}, {-k_log_scale}, {-2 * k_log_scale, -k_log_scale / 2}, {-k_log_scale, -k_log_scale / 2}}};
    const auto decades = [&](size_t first, size_t second) {
        return log10_of(genotype_prior(priors, diploid(first, second)));
    };
    EXPECT_DOUBLE_EQ(decades(0, 0), 0);
    EXPECT_DOUBLE_EQ(decades(0, 2), -2);
    EXPECT_NEAR(decades(2, 2), -2.301, 1e-3);
    EXPECT_DOUBLE_EQ(decades(2, 3), -2.5);
    EXPECT_DOUBLE_EQ(decades(1, 2), -3);  // the first one's share is a tenth
}

TEST(CallSite, balanced_reads_are_heterozygous) {
    const auto site_genotype = call_site(counted(10, 10), 300);
    ASSERT_TRUE(site_genotype);
    const auto& [variant, called] = *site_genotype;
    EXPECT_EQ(variant.genotype, (std::array<int8_t, 2>{0, 1}));
    EXPECT_EQ(called, (std::vector<size_t>{0, 1}));
    // P(reads | 0/0) is 10 errors of 1/3000, P(reads | 0/1) 20 halves: 34.77 - 6.02 decades; the prior takes
    // 3 of them.
    EXPECT_NEAR(variant.quality_centi, 1000 * (34.771 - 6.0206 - 3), 15);
    EXPECT_EQ(variant.likelihoods.size(), 3u);
    EXPECT_NEAR(variant.likelihoods[0], 287.5, 1);
    EXPECT_EQ(variant.likelihoods[1], 0);
    EXPECT_EQ(variant.genotype_quality, 99);
    EXPECT_EQ(variant.depth, 20);
    EXPECT_EQ(variant.allele_depth, (std::vector<int32_t>{10, 10}));
    EXPECT_EQ(variant.strand_counts[0], 5);
    EXPECT_EQ(variant.mapping_quality, 55);
}

TEST(CallSite, alternate_reads_only_are_homozygous) {
    const auto site_genotype = call_site(counted(0, 12), 300);
    ASSERT_TRUE(site_genotype);
    const auto& [variant, called] = *site_genotype;
    EXPECT_EQ(variant.genotype, (std::array<int8_t, 2>{1, 1}));
}

TEST(CallSite, one_error_among_many_is_no_variant) {
    EXPECT_FALSE(call_site(counted(20, 1), 0));
    EXPECT_FALSE(call_site(counted(2, 2), 10'000));  // below the quality asked for
}

TEST(CallSite, two_alternates_drop_the_allele_not_called) {
    SiteEvidence evidence;
    evidence.reset(4, 2);
    for (size_t i = 1; i < 4; ++i) evidence.priors[i] = -2 * k_log_scale;
    std::fill(evidence.genotypes.begin(), evidence.genotypes.end(), -30 * k_log_scale);
    evidence.genotypes[genotype_index(diploid(1, 3))] = -6 * k_log_scale;
    const auto site_genotype = call_site(evidence, 300);
    ASSERT_TRUE(site_genotype);
    const auto& [variant, called] = *site_genotype;
    EXPECT_EQ(variant.genotype, (std::array<int8_t, 2>{1, 2}));
    EXPECT_EQ(called, (std::vector<size_t>{0, 1, 3}));
    EXPECT_EQ(variant.likelihoods, (std::vector<int32_t>{240, 240, 240, 240, 0, 240}));
}

/// The same of a haploid site, whose genotypes are its alleles.
SiteEvidence haploid_counted(int reference, int alternate) {
    SiteEvidence evidence = counted(reference, alternate);
    evidence.ploidy = 1;
    evidence.genotypes.erase(evidence.genotypes.begin() + 1);
    return evidence;
}

TEST(CallSite, haploid_site_has_one_allele_and_a_likelihood_for_each) {
    const auto site_genotype = call_site(haploid_counted(0, 10), 300);
    ASSERT_TRUE(site_genotype);
    const auto& [variant, called] = *site_genotype;
    EXPECT_EQ(variant.ploidy, 1);
    EXPECT_EQ(variant.genotype, (std::array<int8_t, 2>{1, -1}));
    EXPECT_EQ(called, (std::vector<size_t>{0, 1}));
    ASSERT_EQ(variant.likelihoods.size(), 2u);
    EXPECT_NEAR(variant.likelihoods[0], 10 * 34.77, 1);  // ten errors of 1/3000
    EXPECT_EQ(variant.likelihoods[1], 0);
    // The prior of an allele is that of a heterozygous diploid site: three decades.
    EXPECT_NEAR(variant.quality_centi, 1000 * (34.771 - 3), 15);
    EXPECT_EQ(variant.genotype_quality, 99);
    EXPECT_EQ(variant.allele_depth, (std::vector<int32_t>{0, 10}));
}

TEST(CallSite, haploid_site_is_never_heterozygous) {
    for (int alternate = 0; alternate <= 20; ++alternate) {
        const auto site = call_site(haploid_counted(20 - alternate, alternate), 0);
        if (!site) {
            EXPECT_LE(alternate, 10);
            continue;
        }
        EXPECT_GT(alternate, 10);  // the prior decides at ten
        EXPECT_EQ(site->record.genotype, (std::array<int8_t, 2>{1, -1}));
    }
}

TEST(CallSite, haploid_site_of_three_alleles_keeps_the_called_one) {
    SiteEvidence evidence;
    evidence.reset(3, 1);
    EXPECT_EQ(evidence.genotypes.size(), 3u);
    evidence.priors = {0, -3 * k_log_scale, -3 * k_log_scale};
    evidence.genotypes = {-30 * k_log_scale, -20 * k_log_scale, -6 * k_log_scale};
    const auto site_genotype = call_site(evidence, 300);
    ASSERT_TRUE(site_genotype);
    const auto& [variant, called] = *site_genotype;
    EXPECT_EQ(variant.genotype, (std::array<int8_t, 2>{1, -1}));
    EXPECT_EQ(called, (std::vector<size_t>{0, 2}));
    EXPECT_EQ(variant.likelihoods, (std::vector<int32_t>{240, 0}));
}

TEST(PileUp, overlapping_mates_count_once) {
    const std::string letters(300, 'A');
    std::vector<SimulatedRead> reads;
    for (int i = 0; i < 4; ++i) {
        for (int mate = 0; mate < 2; ++mate) {
            reads.push_back({100,
                             {data::cigar_element(50, data::k_cigar_match)},
                             std::string(50, 'A'),
                             "r" + std::to_string(i),
                             mate == 1});
            // Read 0: both mates C. Read 1: the mates disagree. The others: the reference.
            if (i == 0 || (i == 1 && mate == 1)) reads.back().letters[10] = 'C';
        }
    }
    data::RecordBatch batch;
    for (const auto& read : reads) {
        std::vector<data::Base> bases(50);
        data::to_bases(read.letters, bases);
        const std::vector<uint8_t> qualities(50, 30);
        data::RecordFields fields;
        fields.contig = fields.mate_contig = 0;
        fields.position = fields.mate_position = 100;
        fields.mapping_quality = 60;
        fields.flag = data::k_flag_paired | (read.reverse ? data::k_flag_reverse : 0);
        fields.name = read.name;
        fields.cigar = read.cigar;
        fields.bases = bases;
        fields.qualities = qualities;
        data::RecordAppender appender(batch, fields);
    }
    std::vector<data::RecordView> views;
    for (size_t i = 0; i < batch.entries.size(); ++i) views.push_back(batch.view(i));
    ReadSet set;
    std::vector<int32_t> slots;
    load_reads(views, MappingFilter(20), reported_qualities(), {}, set, slots);
    SiteEvidence evidence;
    const data::Base alleles[] = {0, 1};
    pile_up(set, 110, alleles, 2, 10, Contamination(), evidence);
    EXPECT_EQ(evidence.fragments, 3);
    EXPECT_EQ(evidence.strands[0][0] + evidence.strands[0][1], 2);
    EXPECT_EQ(evidence.strands[1][0] + evidence.strands[1][1], 1);
    EXPECT_NEAR(log10_of(evidence.genotypes[0]), 2 * log10_of(k_log_correct[30]) + log10_of(log_wrong(30)),
                1e-4);
    SiteEvidence haploid_evidence;
    pile_up(set, 110, alleles, 1, 10, Contamination(), haploid_evidence);
    EXPECT_EQ(haploid_evidence.fragments, 3);
    EXPECT_EQ(haploid_evidence.genotypes,
              (std::vector<int64_t>{evidence.genotypes[0], evidence.genotypes[2]}));
}

TEST(PileUp, rank_sums_are_of_the_reads_that_show_the_alleles) {
    // Reads of 50 bases over position 110. The alternate: offsets 10, 5 and 45, so 10, 5 and 4 bases from an
    // end; the reference: offsets 20 and 25, so 20 and 24 bases.
    struct Given {
        int32_t begin;
        char letter;
        uint8_t quality;
        uint8_t mapping_quality;
    };
    data::RecordBatch batch;
    int number = 0;
    for (const Given& given : std::vector<Given>{{65, 'C', 20, 60},
                                                 {85, 'A', 37, 60},
                                                 {90, 'A', 30, 50},
                                                 {100, 'C', 30, 60},
                                                 {105, 'C', 25, 40}}) {
        std::vector<data::Base> bases(50);
        std::string letters(50, 'A');
        letters[static_cast<size_t>(110 - given.begin)] = given.letter;
        data::to_bases(letters, bases);
        std::vector<uint8_t> qualities(50, 40);
        qualities[static_cast<size_t>(110 - given.begin)] = given.quality;
        const std::vector<uint32_t> cigar = {data::cigar_element(50, data::k_cigar_match)};
        const std::string name = "r" + std::to_string(number++);
        data::RecordFields fields;
        fields.contig = 0;
        fields.position = given.begin;
        fields.mapping_quality = given.mapping_quality;
        fields.name = name;
        fields.cigar = cigar;
        fields.bases = bases;
        fields.qualities = qualities;
        data::RecordAppender appender(batch, fields);
    }
    std::vector<data::RecordView> views;
    for (size_t i = 0; i < batch.entries.size(); ++i) views.push_back(batch.view(i));
    ReadSet set;
    std::vector<int32_t> slots;
    load_reads(views, MappingFilter(20), reported_qualities(), {}, set, slots);
    SiteEvidence evidence;
    const data::Base alleles[] = {0, 1};
    pile_up(set, 110, alleles, 2, 10, Contamination(), evidence);
    const SiteGenotype site = genotype_site(evidence);
    data::Variant record = site.record;
    EXPECT_EQ(record.rank_sums.base_quality_milli, std::nullopt);  // of written records only
    record.rank_sums = rank_sums_of(evidence, site.alleles);
    // Of the ten choices of three of five values, by sums of ranks.
    // Base qualities 20 30 25 against 37 30: ranks 1, 3.5, 2 = 6.5; lower: 6.5 twice at the bottom: 1 of 10.
    EXPECT_EQ(record.rank_sums.base_quality_milli, -1282);
    // Mapping qualities 60 60 40 against 60 50: ranks 4 4 1 = 9; sums 7 (3 choices), 9 (3), 10 (3), 12
    // (1): 4.5.
    EXPECT_EQ(record.rank_sums.mapping_quality_milli, -126);
    // Distances 10 5 4 against 20 24: the lowest sum of all: 0.5 of 10.
    EXPECT_EQ(record.rank_sums.read_position_milli, -1645);
    EXPECT_EQ(record.allele_strands, (std::vector<std::array<int32_t, 2>>{{2, 0}, {3, 0}}));
    EXPECT_EQ(record.strand_odds_milli, 1022);  // ln(3 / 4 + 4 / 3) + ln(1 / 3) - ln(1 / 4)

    // A poor base is no evidence, but has its rank.
    set.qualities[set.reads[1].bases + 25] = 5;
    pile_up(set, 110, alleles, 2, 10, Contamination(), evidence);
    EXPECT_EQ(evidence.fragments, 4);
    EXPECT_EQ(evidence.places.size(), 5u);
    // So does a clipped one, of a fragment whose ends are known.
    CallRead& read = set.reads[0];
    read.cigar = static_cast<uint32_t>(set.cigars.size());
    read.cigar_count = 2;
    read.end = 105;
    set.cigars.push_back(data::cigar_element(40, data::k_cigar_match));
    set.cigars.push_back(data::cigar_element(10, data::k_cigar_soft_clip));
    pile_up(set, 110, alleles, 2, 10, Contamination(), evidence);
    EXPECT_EQ(evidence.fragments, 3);
    EXPECT_EQ(evidence.places.size(), 4u);
    read.flags = data::k_flag_paired | data::k_flag_mate_reverse;
    read.template_length = 300;
    pile_up(set, 110, alleles, 2, 10, Contamination(), evidence);
    EXPECT_EQ(evidence.fragments, 3);
    EXPECT_EQ(evidence.places.size(), 5u);
}

TEST(Filters, strand_bias_is_fishers_exact_test) {
    // R: fisher.test(matrix(c(8, 2, 1, 5), 2))$p.value is 0.03496503, and 1 for a balanced table.
    EXPECT_NEAR(strand_bias_centi(std::array{8, 2, 1, 5}), -1000 * std::log10(0.03496503), 2);
    EXPECT_NEAR(strand_bias_centi(std::array{5, 5, 5, 5}), 0, 2);
    EXPECT_EQ(strand_bias_centi(std::array{0, 0, 0, 0}), 0);
    EXPECT_GT(strand_bias_centi(std::array{5000, 5000, 9000, 100}), 10'000);
}

TEST(Filters, heterozygous_allele_of_one_strand_is_strand_bias) {
    const auto filters = [](std::array<int32_t, 4> strands, std::array<int8_t, 2> genotype,
                            const char* alternate) {
        data::Variant variant;
        variant.alleles = {"A", alternate};
        variant.quality_centi = 5000;
        variant.depth = std::accumulate(strands.begin(), strands.end(), 0);
        variant.mapping_quality = 60;
        variant.genotype = genotype;
        variant.allele_depth = {strands[0] + strands[1], strands[2] + strands[3]};
        variant.strand_counts = strands;
        variant.strand_bias_centi = strand_bias_centi(strands);
        return filters_of(CallerParameters(), statistics_of(variant), 0);
    };
    const uint32_t bias = data::k_filter_strand_bias;
    EXPECT_EQ(filters({20, 4, 0, 8}, {0, 1}, "C") & bias, bias);
    EXPECT_EQ(filters({4, 20, 8, 0}, {0, 1}, "C") & bias, bias);
    EXPECT_EQ(filters({12, 4, 0, 8}, {0, 1}, "C") & bias, 0u);  // 2^-12 is Phred 36
    EXPECT_EQ(filters({20, 4, 1, 7}, {0, 1}, "C") & bias, 0u);  // more than a tenth
    EXPECT_EQ(filters({20, 4, 0, 8}, {1, 1}, "C") & bias, 0u);
    EXPECT_EQ(filters({20, 4, 0, 8}, {0, 1}, "AC") & bias, 0u);
}

TEST(Filters, allele_bias_is_the_binomial_tail) {
    EXPECT_NEAR(allele_bias_centi(3, 1), -1000 * std::log10(5.0 / 16), 2);
    EXPECT_NEAR(allele_bias_centi(20, 0), 20 * 1000 * std::log10(2), 2);
}

}  // namespace
}  // namespace gannet::variants
