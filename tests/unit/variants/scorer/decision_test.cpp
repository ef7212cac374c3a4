// SPDX-License-Identifier: MIT
// Tests the scorer's decision of one allele: what of a correction counts, and that sites decide as alleles
// do.
#include "variants/scorer/decision.hpp"

#include "data/variant.hpp"
#include "tests/unit/variants/caller_support.hpp"
#include "variants/genotype/genotype.hpp"
#include "variants/genotype/site_statistics.hpp"
#include "variants/scorer/corrected_evidence.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gannet::variants {
namespace {

using testing::trusted_everywhere;

constexpr int32_t k_decade = k_log_scale;
constexpr int32_t k_threshold_centi = 1000;

/// A SNV that the caller calls heterozygous, with certainty.
ml::ExampleFacts called_snv() {
    ml::ExampleFacts facts;
    facts.base = {-5 * k_decade, 0, -5 * k_decade};
    facts.fragments = 30;
    facts.copies = 1;
    facts.quality_cap = 40;
    return facts;
}

TEST(Decision, corrections_of_zero_are_silence) {
    EXPECT_EQ(correction_of(trusted_everywhere(), called_snv(), {0, 0, 0}), CopyLogs{});
    EXPECT_EQ(correction_of(trusted_everywhere(), called_snv(), {700, 700, 700}), CopyLogs{});
}

TEST(Decision, without_a_stratum_the_network_is_silent) {
    const CopyLogs raw{9 * k_decade, 0, 0};
    EXPECT_EQ(correction_of({}, called_snv(), raw), CopyLogs{});
    ml::Decision shallow = trusted_everywhere();
    for (ml::Stratum& stratum : shallow.strata) stratum.depth_end = 30;
    EXPECT_EQ(correction_of(shallow, called_snv(), raw), CopyLogs{});
    ml::ExampleFacts facts = called_snv();
    facts.fragments = 29;
    EXPECT_NE(correction_of(shallow, facts, raw), CopyLogs{});
}

TEST(Decision, a_prior_is_the_price_of_overruling_the_caller_only) {
    ml::Decision decision = trusted_everywhere();
    for (ml::Stratum& stratum : decision.strata) stratum.prior = 2 * k_decade;
    ml::ExampleFacts facts = called_snv();
    const auto gain = [&](int32_t raw) { return correction_of(decision, facts, {0, raw, raw})[1]; };
    EXPECT_EQ(gain(-2 * k_decade), 0);
    EXPECT_EQ(gain(-5 * k_decade), -3 * k_decade);
    EXPECT_EQ(gain(k_decade), k_decade);  // the caller says the same
    facts.filters = data::k_filter_allele_bias;
    EXPECT_EQ(gain(2 * k_decade), 0);
    EXPECT_EQ(gain(5 * k_decade), 3 * k_decade);
    EXPECT_EQ(gain(-k_decade), -k_decade);
}

TEST(Decision, few_fragments_leave_the_zygosity_to_the_caller) {
    const CopyLogs raw{0, k_decade, 8 * k_decade};
    EXPECT_EQ(
        verdict_of(called_snv(), correction_of(trusted_everywhere(), called_snv(), raw), k_threshold_centi)
            .copies,
        2);
    ml::ExampleFacts facts = called_snv();
    facts.fragments = 9;
    const CopyLogs correction = correction_of(trusted_everywhere(), facts, raw);
    EXPECT_EQ(correction[1], correction[2]);
    EXPECT_EQ(verdict_of(facts, correction, k_threshold_centi).copies, 1);
}

TEST(Decision, overruling_the_callers_zygosity_has_the_same_price) {
    ml::Decision decision = trusted_everywhere();
    for (ml::Stratum& stratum : decision.strata) stratum.prior = 2 * k_decade;
    ml::ExampleFacts facts = called_snv();
    const auto change = [&](int32_t raw) {
        const CopyLogs correction = correction_of(decision, facts, {0, 0, raw});
        return correction[2] - correction[1];
    };
    EXPECT_EQ(change(k_decade), 0);  // the caller says one copy
    EXPECT_EQ(change(5 * k_decade), 3 * k_decade);
    EXPECT_EQ(change(-5 * k_decade), -5 * k_decade);
    facts.copies = 2;
    EXPECT_EQ(change(5 * k_decade), 5 * k_decade);
    EXPECT_EQ(change(-5 * k_decade), -3 * k_decade);
    facts.copies = 0;  // it says nothing about it
    EXPECT_EQ(change(5 * k_decade), 5 * k_decade);
}

TEST(Decision, spanning_deletion_leaves_the_zygosity_to_the_caller) {
    ml::ExampleFacts facts = called_snv();
    facts.is_spanned = true;
    const CopyLogs correction = correction_of(trusted_everywhere(), facts, {0, k_decade, 8 * k_decade});
    EXPECT_EQ(correction[1], correction[2]);
    EXPECT_GT(correction[1], 0);
    EXPECT_EQ(verdict_of(facts, correction, k_threshold_centi).copies, 1);
}

TEST(Decision, filters_are_part_of_the_base) {
    const CopyLogs certain{-6 * k_decade, 0, -6 * k_decade};
    EXPECT_EQ(base_of(certain, 0), certain);
    EXPECT_EQ(base_of(certain, data::k_filter_low_quality), certain);
    const CopyLogs filtered = base_of(certain, data::k_filter_strand_bias);
    EXPECT_NEAR(log_add(filtered[1], filtered[2]) - filtered[0], k_filtered_odds, 200);
    const CopyLogs doubtful{0, -2 * k_decade, -6 * k_decade};  // filters do not make it more probable
    EXPECT_EQ(base_of(doubtful, data::k_filter_strand_bias), doubtful);
    ml::ExampleFacts facts = called_snv();
    facts.base = filtered;
    EXPECT_EQ(verdict_of(facts, {}, k_threshold_centi).copies, 0);
}

TEST(Decision, qual_has_the_callers_limits) {
    ml::ExampleFacts facts = called_snv();
    facts.quality_cap = 22;
    EXPECT_EQ(verdict_of(facts, {}, k_threshold_centi).quality_centi, 2200);
    facts.quality_cap = 5;  // not below the threshold of LowQual
    EXPECT_EQ(verdict_of(facts, {}, k_threshold_centi).quality_centi, 1000);
}

/// What evaluation of examples says of an allele is what calling says of a site with that allele.
TEST(Decision, alleles_decide_as_sites_do) {
    std::mt19937_64 random(12);
    const auto log = [&](int32_t decades) {
        return -static_cast<int64_t>(random() % static_cast<uint64_t>(decades * k_decade));
    };
    size_t called = 0, homozygous = 0;
    for (int round = 0; round < 20'000; ++round) {
        SiteEvidence evidence;
        evidence.reset(2, 2);
        evidence.priors = {0, -3 * k_decade};
        evidence.genotypes = {log(9), log(9), log(9)};
        evidence.strands = {{6, 6}, {6, 6}};
        evidence.fragments = 5 + static_cast<int32_t>(random() % 20);
        const AlleleStatistics statistics = statistics_of(evidence, 1, false);
        ml::ExampleFacts facts;
        facts.filters = random() % 3 == 0 ? uint8_t{data::k_filter_strand_bias} : uint8_t{0};
        facts.base = base_of(statistics.posterior, facts.filters);
        facts.fragments = static_cast<uint16_t>(evidence.fragments);
        facts.copies = static_cast<uint8_t>(statistics.copies);
        facts.quality_cap = 255;
        const CopyLogs raw{static_cast<int32_t>(log(6)), static_cast<int32_t>(log(6)),
                           static_cast<int32_t>(log(6))};
        const CopyLogs correction = correction_of(trusted_everywhere(), facts, raw);
        CopyLogs change{};
        for (size_t c = 0; c < 3; ++c) change[c] = facts.base[c] - statistics.posterior[c] + correction[c];
        SiteEvidence corrected;
        correct_evidence(evidence, std::vector<CopyChange>{{}, change}, corrected);
        const auto site = call_site(corrected, 0);
        const bool is_called = site && site->record.quality_centi >= k_threshold_centi;
        const Verdict verdict = verdict_of(facts, correction, k_threshold_centi);
        if (std::abs(verdict.quality_centi - k_threshold_centi) <= 1) continue;  // sums round apart
        ASSERT_EQ(verdict.copies > 0, is_called) << round;
        if (!is_called) continue;
        ++called;
        ASSERT_EQ(verdict.copies == 2, site->record.genotype[0] == 1) << round;
        ASSERT_NEAR(verdict.quality_centi, site->record.quality_centi, 2) << round;
        homozygous += verdict.copies == 2;
    }
    EXPECT_GT(called, 2'000U);
    EXPECT_GT(homozygous, 500U);
}

}  // namespace
}  // namespace gannet::variants
