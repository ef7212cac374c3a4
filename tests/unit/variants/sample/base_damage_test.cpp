// SPDX-License-Identifier: MIT
// Tests the estimate of damage, and what else is estimated where there is some.
#include "variants/sample/base_damage.hpp"

#include "variants/sample/sample_model.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gannet::variants {
namespace {

constexpr data::Base k_a = 0, k_c = 1, k_g = 2, k_t = 3;

/// 10 million bases of each kind; one in 2,000 of each is read as each other one.
BaseChangeCounts usual_counts() {
    BaseChangeCounts counts;
    counts.bases.fill(10'000'000);
    for (size_t from = 0; from < 4; ++from) {
        for (size_t to = 0; to < 4; ++to) counts.mismatches[from][to] = from == to ? 0 : 5'000;
    }
    return counts;
}

TEST(ChangeClass, complementary_changes_are_one_class) {
    std::set<size_t> classes;
    for (data::Base from = 0; from < 4; ++from) {
        for (data::Base to = 0; to < 4; ++to) {
            if (from == to) continue;
            EXPECT_EQ(change_class(from, to), change_class(data::complement(from), data::complement(to)));
            classes.insert(change_class(from, to));
        }
    }
    EXPECT_EQ(classes.size(), k_change_classes);
    EXPECT_EQ(*classes.rbegin(), k_change_classes - 1);
}

TEST(BaseDamage, errors_of_both_strands_are_none) {
    BaseChangeCounts counts = usual_counts();
    EXPECT_TRUE(estimate_base_damage(counts).none());
    // Transitions are more frequent than other errors.
    counts.mismatches[k_c][k_t] = counts.mismatches[k_g][k_a] = 60'000;
    EXPECT_TRUE(estimate_base_damage(counts).none());
    EXPECT_EQ(estimate_base_damage(counts).to_text(), "none");
}

TEST(BaseDamage, changes_of_one_strand_are_damage) {
    BaseChangeCounts counts = usual_counts();
    counts.mismatches[k_c][k_t] += 200'000;
    const BaseDamage damage = estimate_base_damage(counts);
    EXPECT_EQ(damage.per_million[k_c][k_t], 20'000);
    EXPECT_EQ(damage.per_million[k_g][k_a], 0);
    EXPECT_EQ(damage.to_text(), "C>T 2.00 %");
    EXPECT_TRUE(damage.has(change_class(k_g, k_a)));
    EXPECT_FALSE(damage.has(change_class(k_t, k_c)));
    EXPECT_EQ(damage.mismatches_per_million(counts), 5'000);
    EXPECT_EQ(damage.highest_quality(k_c, k_t), 12);  // 0.06, a third of it for each base
    EXPECT_EQ(damage.highest_quality(k_g, k_a), 255);
    EXPECT_EQ(damage.highest_quality(k_c, data::k_base_n), 255);
}

TEST(BaseDamage, few_or_slightly_more_changes_are_none) {
    BaseChangeCounts counts = usual_counts();
    counts.mismatches[k_g][k_t] = 9'900;  // less than twice as many
    EXPECT_TRUE(estimate_base_damage(counts).none());
    for (auto& from : counts.mismatches) from.fill(0);
    counts.mismatches[k_g][k_t] = 1'900;  // 190 per million
    EXPECT_TRUE(estimate_base_damage(counts).none());
    counts.mismatches[k_g][k_t] = 2'100;
    EXPECT_EQ(estimate_base_damage(counts).to_text(), "G>T 0.02 %");
    counts.bases.fill(10'000);
    counts.mismatches[k_g][k_t] = 20;  // 4.5 standard deviations
    EXPECT_TRUE(estimate_base_damage(counts).none());
}

TEST(BaseDamage, heavy_damage_leaves_a_usable_quality) {
    BaseDamage damage;
    damage.per_million[k_c][k_t] = 400'000;
    EXPECT_EQ(damage.highest_quality(k_c, k_t), 10);
}

TEST(BaseDamage, damage_is_not_held_against_the_qualities) {
    SampleProfile profile;
    profile.changes = usual_counts();
    for (auto& from : profile.changes.mismatches) from.fill(500);
    profile.changes.mismatches[k_c][k_t] = 200'000;
    profile.bases[37] = 40'000'000;
    profile.mismatches[37] = 206'000;
    const BaseDamage damage = estimate_base_damage(profile.changes);
    EXPECT_LT(estimate_qualities(profile, 0)[37], 25);
    EXPECT_EQ(estimate_qualities(profile, 0, damage)[37], reported_qualities()[37]);
}

TEST(BaseDamage, sites_that_damage_returns_to_the_reference_show_no_contamination) {
    // The sample has C where the reference has T: 1 in 20 of the fragments has the reference's base.
    SampleProfile profile;
    profile.bases[37] = 40'000'000;
    profile.homozygous[change_class(k_c, k_t)][40][2] = 400;
    profile.homozygous[change_class(k_t, k_c)][40][0] = 400;
    BaseDamage damage;
    damage.per_million[k_c][k_t] = 100'000;
    EXPECT_GT(estimate_contamination(profile).parts_per_million, 0);
    EXPECT_EQ(estimate_contamination(profile, damage).parts_per_million, 0);
    EXPECT_EQ(estimate_contamination(profile, damage).sites, 400u);
}

}  // namespace
}  // namespace gannet::variants
