// SPDX-License-Identifier: MIT
// Checks the counts of called variants that go to a run's report.
#include "variants/records/call_statistics.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace gannet::variants {
namespace {

data::Variant make_variant(std::vector<std::string> alleles, std::array<int8_t, 2> genotype,
                           uint32_t filters = 0) {
    data::Variant variant;
    variant.alleles = std::move(alleles);
    variant.genotype = genotype;
    variant.filters = filters;
    return variant;
}

VariantCounts count(const data::Variant& variant) {
    VariantCounts counts;
    counts.add(variant);
    return counts;
}

TEST(VariantCounts, single_base_changes_are_transitions_or_transversions) {
    const std::string bases = "ACGT";
    for (const char from : bases) {
        for (const char to : bases) {
            if (from == to) continue;
            const std::string change{from, to};
            const bool is_transition = change == "AG" || change == "GA" || change == "CT" || change == "TC";
            const VariantCounts counts =
                count(make_variant({std::string(1, from), std::string(1, to)}, {0, 1}));
            EXPECT_EQ(counts.snps, 1u) << change;
            EXPECT_EQ(counts.indels, 0u) << change;
            EXPECT_EQ(counts.transitions, is_transition ? 1u : 0u) << change;
            EXPECT_EQ(counts.transversions, is_transition ? 0u : 1u) << change;
        }
    }
}

TEST(VariantCounts, indels_are_insertions_or_deletions) {
    const VariantCounts insertion = count(make_variant({"C", "CAA"}, {0, 1}));
    EXPECT_EQ(insertion.indels, 1u);
    EXPECT_EQ(insertion.insertions, 1u);
    EXPECT_EQ(insertion.deletions, 0u);
    EXPECT_EQ(insertion.snps, 0u);
    const VariantCounts deletion = count(make_variant({"CAA", "C"}, {0, 1}));
    EXPECT_EQ(deletion.indels, 1u);
    EXPECT_EQ(deletion.insertions, 0u);
    EXPECT_EQ(deletion.deletions, 1u);
}

TEST(VariantCounts, shares_of_reads_beyond_chance_are_uneven) {
    const auto uneven = [](int32_t reference, int32_t alternate, std::array<int8_t, 2> genotype = {0, 1},
                           std::vector<std::string> alleles = {"A", "C"}) {
        data::Variant variant = make_variant(std::move(alleles), genotype);
        variant.allele_depth = {reference, alternate};
        const VariantCounts counts = count(variant);
        return counts.balance_known == 0 ? -1 : static_cast<int>(counts.uneven);
    };
    EXPECT_EQ(uneven(15, 15), 0);
    EXPECT_EQ(uneven(20, 9), 1);  // 11 of 29: 2.04 standard deviations
    EXPECT_EQ(uneven(19, 9), 0);  // 10 of 28: 1.9
    EXPECT_EQ(uneven(9, 20, {1, 0}), 1) << "phased";
    EXPECT_EQ(uneven(560, 440), 0) << "3.8 standard deviations, but 0.06 of a half";
    EXPECT_EQ(uneven(601, 399), 1);
    EXPECT_EQ(uneven(7, 7), -1);
    EXPECT_EQ(uneven(2, 40, {1, 1}), -1);
    EXPECT_EQ(uneven(30, 10, {0, 1}, {"A", "AC"}), -1);
}

TEST(VariantCounts, two_snvs_at_a_position_are_one_record_and_two_changes) {
    const VariantCounts counts = count(make_variant({"A", "G", "T"}, {1, 2}));
    EXPECT_EQ(counts.records, 1u);
    EXPECT_EQ(counts.snps, 1u);
    EXPECT_EQ(counts.multiallelic, 1u);
    EXPECT_EQ(counts.transitions, 1u);
    EXPECT_EQ(counts.transversions, 1u);
}

TEST(VariantCounts, padded_snv_beside_a_deletion_counts_as_both) {
    const VariantCounts counts = count(make_variant({"CAA", "C", "CGA"}, {1, 2}));
    EXPECT_EQ(counts.records, 1u);
    EXPECT_EQ(counts.snps, 1u);
    EXPECT_EQ(counts.indels, 1u);
    EXPECT_EQ(counts.deletions, 1u);
    EXPECT_EQ(counts.transitions, 1u);
}

TEST(VariantCounts, other_alleles_are_neither) {
    for (const auto& alleles : {std::vector<std::string>{"A", "*"}, std::vector<std::string>{"AC", "GT"},
                                std::vector<std::string>{"N", "A"}, std::vector<std::string>{"A", "N"}}) {
        const VariantCounts counts = count(make_variant(alleles, {0, 1}));
        EXPECT_EQ(counts.snps, 0u) << alleles[1];
        EXPECT_EQ(counts.indels, 0u) << alleles[1];
        EXPECT_EQ(counts.transitions + counts.transversions, 0u) << alleles[1];
    }
}

TEST(VariantCounts, genotypes_are_heterozygous_or_homozygous_alternate) {
    EXPECT_EQ(count(make_variant({"A", "C"}, {0, 1})).heterozygous, 1u);
    EXPECT_EQ(count(make_variant({"A", "C", "G"}, {1, 2})).heterozygous, 1u);
    EXPECT_EQ(count(make_variant({"A", "C"}, {1, 1})).heterozygous, 0u);
    EXPECT_EQ(count(make_variant({"A", "C"}, {1, 1})).homozygous_alternate, 1u);
    for (const std::array<int8_t, 2> genotype : {std::array<int8_t, 2>{0, 0}, {-1, -1}, {-1, 1}}) {
        const VariantCounts counts = count(make_variant({"A", "C"}, genotype));
        EXPECT_EQ(counts.heterozygous + counts.homozygous_alternate, 0u);
    }
}

TEST(VariantCounts, haploid_genotypes_are_counted_by_themselves) {
    data::Variant variant = make_variant({"A", "C"}, {1, -1});
    variant.ploidy = 1;
    const VariantCounts counts = count(variant);
    EXPECT_EQ(counts.haploid_alternate, 1u);
    EXPECT_EQ(counts.snps, 1u);
    EXPECT_EQ(counts.heterozygous + counts.homozygous_alternate, 0u);
    variant.genotype = {0, -1};
    EXPECT_EQ(count(variant).haploid_alternate, 0u);
}

TEST(CallStatistics, filtered_records_are_counted_in_all_alone) {
    CallStatistics statistics;
    statistics.add(make_variant({"A", "G"}, {0, 1}));
    statistics.add(make_variant({"A", "C"}, {1, 1}, data::k_filter_low_quality));
    EXPECT_EQ(statistics.all.records, 2u);
    EXPECT_EQ(statistics.all.transversions, 1u);
    EXPECT_EQ(statistics.pass.records, 1u);
    EXPECT_EQ(statistics.pass.transitions, 1u);
    EXPECT_EQ(statistics.pass.transversions, 0u);
}

TEST(CallStatistics, merged_parts_equal_one_count) {
    const std::vector<data::Variant> variants = {
        make_variant({"A", "G"}, {0, 1}),
        make_variant({"A", "C", "T"}, {1, 2}),
        make_variant({"CAA", "C", "CGA"}, {1, 1}, data::k_filter_low_depth),
        make_variant({"C", "CT"}, {1, 1}),
    };
    CallStatistics whole;
    for (const data::Variant& variant : variants) whole.add(variant);
    for (size_t cut = 0; cut <= variants.size(); ++cut) {
        CallStatistics first;
        CallStatistics second;
        for (size_t i = 0; i < variants.size(); ++i) (i < cut ? first : second).add(variants[i]);
        second += first;
        EXPECT_EQ(second, whole) << cut;
    }
}

}  // namespace
}  // namespace gannet::variants
