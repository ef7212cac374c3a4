// SPDX-License-Identifier: MIT
// Tests how many reads change the length of repeats that may be heterozygous.
#include "variants/sample/stutter_rates.hpp"

#include "variants/sample/gap_quality.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gannet::variants {
namespace {

constexpr double k_billion = 1e9;

/// Of a homopolymer of 12 bases: reads by their change, -4 to 4 bases.
GapCounts::Varied homopolymer(std::array<uint16_t, 9> reads) { return {1, 12, reads}; }

uint64_t changed_of(const GapCounts& counts) {
    uint64_t changed = 0;
    for (const GapCounts::Count& count : counts.homopolymer) changed += count.changed;
    return changed;
}

TEST(StutterRates, counts_without_varied_repeats_stay) {
    GapCounts counts;
    counts.homopolymer[12] = {3, 4};
    counts.period_2[7] = {5, 6};
    EXPECT_EQ(with_varied_repeats(counts), counts);
}

TEST(StutterRates, few_reads_of_another_length_are_changed_ones) {
    GapCounts counts;
    counts.varied.assign(100, homopolymer({0, 0, 0, 1, 29, 0, 0, 0, 0}));
    const GapCounts all = with_varied_repeats(counts);
    EXPECT_EQ(all.homopolymer[12].changed, 100u);
    EXPECT_TRUE(all.varied.empty());
    EXPECT_NEAR(static_cast<double>(all.homopolymer[12].expected_billionths),
                3000.0 * static_cast<double>(stutter_per_billion(usual_gap_qualities(), 12, 1)),
                k_billion / 100);
}

TEST(StutterRates, reads_of_two_haplotypes_are_not_changed_ones) {
    GapCounts counts;
    counts.varied.assign(100, homopolymer({0, 0, 15, 0, 15, 0, 0, 0, 0}));
    const GapCounts all = with_varied_repeats(counts);
    EXPECT_LE(changed_of(all), 1u);
    for (const size_t length : {10u, 12u})
        EXPECT_NEAR(static_cast<double>(all.homopolymer[length].expected_billionths),
                    1500.0 * static_cast<double>(stutter_per_billion(usual_gap_qualities(), length, 1)),
                    k_billion / 100);
}

TEST(StutterRates, reads_of_a_homozygous_change_have_the_length_of_the_haplotype) {
    GapCounts counts;
    counts.varied.assign(100, homopolymer({0, 0, 0, 0, 1, 0, 29, 0, 0}));
    const GapCounts all = with_varied_repeats(counts);
    EXPECT_EQ(all.homopolymer[14].changed, 100u);
    EXPECT_EQ(all.homopolymer[12].changed, 0u);
}

/// A tenth of the repeats is heterozygous, a fifth of the reads lost or gained a base before sequencing.
TEST(StutterRates, a_high_rate_is_found_among_heterozygous_repeats) {
    std::mt19937_64 random(7);
    GapCounts counts;
    uint64_t changed = 0;
    for (int i = 0; i < 2000; ++i) {
        std::array<uint16_t, 9> reads{};
        const bool is_heterozygous = random() % 10 == 0;
        for (int read = 0; read < 30; ++read) {
            size_t bin = is_heterozygous && random() % 2 == 0 ? 3 : 4;
            if (random() % 5 == 0) {
                bin = random() % 8 < 5 ? bin - 1 : bin + 1;
                ++changed;
            }
            ++reads[bin];
        }
        counts.varied.push_back(homopolymer(reads));
    }
    const GapCounts all = with_varied_repeats(counts);
    EXPECT_NEAR(static_cast<double>(changed_of(all)), static_cast<double>(changed),
                static_cast<double>(changed) / 10);
    std::reverse(counts.varied.begin(), counts.varied.end());
    EXPECT_EQ(with_varied_repeats(counts), all) << "in any order";
}

TEST(StutterRates, very_deep_repeats_do_not_overflow) {
    GapCounts counts;
    counts.varied.assign(1000, GapCounts::Varied{1, 70, {0, 0, 3000, 0, 60000, 0, 2000, 0, 0}});
    const GapCounts all = with_varied_repeats(counts);
    EXPECT_EQ(all.homopolymer[20].changed, 5'000'000u);
    const double usual = static_cast<double>(stutter_per_billion(usual_gap_qualities(), 70, 1));
    EXPECT_NEAR(static_cast<double>(all.homopolymer[20].expected_billionths) / (65e6 * usual), 1, 1e-3);
}

}  // namespace
}  // namespace gannet::variants
