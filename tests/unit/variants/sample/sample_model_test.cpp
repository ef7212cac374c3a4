// SPDX-License-Identifier: MIT
// Tests the contamination and base qualities that are estimated from the profile of a sample.
#include "variants/sample/sample_model.hpp"

#include "variants/arithmetic/log_math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>

namespace gannet::variants {
namespace {

constexpr size_t k_t_to_c = change_class(3, 1);

/// Homozygous and heterozygous sites of a sample with `ppm` of another person, who has the reference's base
/// on 0, 1 or 2 copies with these probabilities.
SampleProfile contaminated(int sites, int depth, double part, std::array<double, 3> copies, uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto chance = [&random](double p) { return static_cast<double>(random() >> 11) < p * 0x1p53; };
    SampleProfile profile;
    profile.bases[30] = 90'000'000;
    profile.mismatches[30] = 90'000;
    const auto add = [&](double rate) {
        int reads = 0, other = 0;
        for (int i = 0; i < 2 * depth; ++i) {
            if (!chance(0.5)) continue;
            ++reads;
            other += chance(rate);
        }
        if (reads >= 12 && other * 5 <= reads)
            ++profile.homozygous[k_t_to_c][static_cast<size_t>(reads)][static_cast<size_t>(other)];
    };
    for (int i = 0; i < sites; ++i) {
        const double draw = static_cast<double>(random() >> 11) * 0x1p-53;
        const int of_reference = draw < copies[0] ? 0 : draw < copies[0] + copies[1] ? 1 : 2;
        add(part * of_reference / 2 + 0.00033);
        add(0.5);
        if (i % 2 == 0) add(0.5);
    }
    return profile;
}

constexpr std::array<double, 3> k_population{0.5, 1 / 3.0, 1 / 6.0};
constexpr std::array<double, 3> k_stranger{0, 0, 1};

TEST(Contamination, clean_sample_has_none) {
    for (uint64_t seed = 0; seed < 5; ++seed) {
        EXPECT_EQ(estimate_contamination(contaminated(1500, 28, 0, k_stranger, seed)).parts_per_million, 0);
        EXPECT_EQ(estimate_contamination(contaminated(1500, 28, 0.001, k_stranger, seed)).parts_per_million,
                  0);
    }
}

TEST(Contamination, estimate_is_near_the_part_of_a_stranger) {
    for (const double part : {0.01, 0.015, 0.02, 0.05}) {
        for (uint64_t seed = 0; seed < 3; ++seed) {
            const auto estimate = estimate_contamination(contaminated(1500, 28, part, k_stranger, seed));
            EXPECT_NEAR(estimate.parts_per_million, part * 1e6, part * 3e5) << part << " seed " << seed;
        }
    }
}

TEST(Contamination, estimate_is_near_the_part_of_a_person_of_the_same_population) {
    for (const double part : {0.01, 0.02, 0.05, 0.1}) {
        for (uint64_t seed = 0; seed < 3; ++seed) {
            const auto estimate = estimate_contamination(contaminated(3000, 28, part, k_population, seed));
            EXPECT_NEAR(estimate.parts_per_million, part * 1e6, part * 4e5) << part << " seed " << seed;
        }
    }
}

TEST(Contamination, hidden_copies_at_a_few_sites_are_not_contamination) {
    SampleProfile profile = contaminated(1500, 28, 0, k_stranger, 1);
    for (size_t n = 3; n <= 7; ++n) profile.homozygous[k_t_to_c][36][n] += 3;
    EXPECT_EQ(estimate_contamination(profile).parts_per_million, 0);
}

TEST(Contamination, reads_of_a_haplotype_that_was_amplified_less_are_not_contamination) {
    std::mt19937_64 random(1);
    SampleProfile profile = contaminated(600, 28, 0, k_stranger, 1);
    for (int i = 0; i < 150; ++i) ++profile.homozygous[k_t_to_c][30][random() % 7];
    EXPECT_EQ(estimate_contamination(profile).parts_per_million, 0);
}

TEST(Contamination, sample_that_is_heterozygous_everywhere_has_none) {
    std::mt19937_64 random(1);
    SampleProfile profile;
    profile.bases[30] = 30'000'000;
    profile.mismatches[30] = 30'000;
    for (int i = 0; i < 10'000; ++i) {
        const auto reference = static_cast<size_t>(std::popcount(random() & 0x7fff));
        if (reference * 5 <= 15) ++profile.homozygous[k_t_to_c][15][reference];
    }
    const ContaminationEstimate estimate = estimate_contamination(profile);
    EXPECT_GE(estimate.sites, k_min_contamination_sites);
    EXPECT_EQ(estimate.parts_per_million, 0);
}

TEST(Contamination, few_sites_give_no_estimate) {
    const auto estimate = estimate_contamination(contaminated(50, 28, 0.1, k_stranger, 1));
    EXPECT_LT(estimate.sites, k_min_contamination_sites);
    EXPECT_EQ(estimate.parts_per_million, 0);
}

TEST(Qualities, that_are_kept_are_not_changed) {
    SampleProfile profile;
    profile.bases[37] = 10'000'000;
    profile.mismatches[37] = 2'400;  // promised: 1,995
    profile.bases[12] = 100'000;
    profile.mismatches[12] = 3'000;  // better than promised
    EXPECT_EQ(estimate_qualities(profile, 0), reported_qualities());
    EXPECT_EQ(to_text(estimate_qualities(profile, 0)), "");
}

TEST(Qualities, that_promise_too_much_are_lowered_to_what_was_seen) {
    SampleProfile profile;
    profile.bases[40] = profile.bases[37] = 10'000'000;
    profile.mismatches[40] = 2'512;  // as of 36
    profile.mismatches[37] = 1'995;
    profile.bases[41] = profile.bases[60] = 1000;
    profile.bases[2] = 10'000;
    profile.mismatches[2] = 7'000;  // more than two thirds
    const QualityMap map = estimate_qualities(profile, 0);
    EXPECT_EQ(map[40], 36);
    EXPECT_EQ(map[37], 37);
    EXPECT_EQ(map[41], 37);             // too rare to be measured: as the nearest
    EXPECT_EQ(map[60], k_quality_cap);  // too far from any that was
    EXPECT_EQ(map[2], 2);
    EXPECT_EQ(map[39], 39);  // not seen
    EXPECT_EQ(to_text(map), "40:36,41:37");
}

TEST(Qualities, of_a_few_bases_are_not_judged) {
    SampleProfile profile;
    profile.bases[37] = 1'000'000;
    profile.mismatches[37] = 5'000;
    EXPECT_EQ(estimate_qualities(profile, 0), reported_qualities());
    profile.bases[37] *= 2;
    EXPECT_LT(estimate_qualities(profile, 0)[37], 37);
}

TEST(Qualities, variants_of_another_person_are_not_held_against_them) {
    SampleProfile profile;
    profile.bases[41] = 100'000'000;
    profile.mismatches[41] = 7'943 + 5'000;  // and 5 % of the fragments with a variant per 1,000 bases
    EXPECT_EQ(estimate_qualities(profile, 50'000), reported_qualities());
    EXPECT_EQ(estimate_qualities(profile, 0)[41], 39);
}

TEST(IntegerLog, equals_log10_of_the_number) {
    for (uint64_t value = 1; value < 2'000'000'000'000; value = value * 7 / 5 + 1)
        EXPECT_NEAR(log_of(value), std::log10(static_cast<double>(value)) * k_log_scale, 16) << value;
    EXPECT_EQ(log_of(0), 0);
}

}  // namespace
}  // namespace gannet::variants
