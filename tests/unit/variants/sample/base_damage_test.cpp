// SPDX-License-Identifier: MIT
// Tests the estimate of damage, and what else is estimated where there is some.
#include "variants/sample/base_damage.hpp"

#include "data/record.hpp"
#include "variants/sample/sample_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace gannet::variants {
namespace {

constexpr data::Base k_a = 0, k_c = 1, k_g = 2, k_t = 3;

/// 10 million bases of each kind; one in 2,000 of each is read as each other one.
BaseChangeCounts usual_counts() {
    BaseChangeCounts counts;
    counts.places[0].bases.fill(10'000'000);
    for (size_t from = 0; from < 4; ++from) {
        for (size_t to = 0; to < 4; ++to) counts.places[0].mismatches[from][to] = from == to ? 0 : 5'000;
    }
    counts.places[0].squares = counts.places[0].mismatches;
    return counts;
}

/// Of mismatches of which no two are at one position.
BaseDamage damage_of_single_ones(BaseChangeCounts counts) {
    for (auto& place : counts.places) place.squares = place.mismatches;
    return estimate_base_damage(counts);
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

TEST(FragmentEnds, distances_from_the_nearer_end_make_the_places) {
    const FragmentEnds single = FragmentEnds::of(0, 60, 0);
    const std::vector<std::pair<int64_t, size_t>> expected{{0, begin_place(0)},
                                                           {1, begin_place(1)},
                                                           {2, begin_place(2)},
                                                           {3, begin_place(3)},
                                                           {4, begin_place(3)},
                                                           {5, begin_place(4)},
                                                           {8, begin_place(4)},
                                                           {9, begin_place(5)},
                                                           {16, begin_place(5)},
                                                           {17, 0},
                                                           {42, 0},
                                                           {43, end_place(5)},
                                                           {56, end_place(3)},
                                                           {59, end_place(0)}};
    for (const auto& [offset, place] : expected) EXPECT_EQ(single.place_of(offset), place) << offset;
    const FragmentEnds reverse = FragmentEnds::of(data::k_flag_reverse, 60, 0);
    EXPECT_EQ(reverse.place_of(59), begin_place(0));
    EXPECT_EQ(reverse.place_of(1), end_place(1));
    EXPECT_EQ(FragmentEnds::of(0, 20, 0).place_of(9), begin_place(5)) << "as near to the end is 10";
}

TEST(FragmentEnds, of_pairs_follow_from_the_template) {
    constexpr uint16_t k_mate_2 = data::k_flag_paired | data::k_flag_read2 | data::k_flag_reverse;
    const FragmentEnds first = FragmentEnds::of(data::k_flag_paired, 100, 110);
    EXPECT_EQ(first.place_of(0), begin_place(0));
    EXPECT_EQ(first.place_of(99), end_place(5));
    const FragmentEnds second = FragmentEnds::of(k_mate_2, 100, -110);
    EXPECT_EQ(second.place_of(99), end_place(0));
    EXPECT_EQ(second.place_of(0), begin_place(5));
    const FragmentEnds unknown = FragmentEnds::of(data::k_flag_paired, 100, 0);
    EXPECT_EQ(unknown.place_of(1), begin_place(1));
    EXPECT_EQ(unknown.place_of(99), 0u);
}

TEST(BaseChangeCounts, bases_of_short_fragments_count_once) {
    for (const int64_t fragment_bp : {5, 17, 20, 34, 35, 60}) {
        const auto size = static_cast<size_t>(fragment_bp);
        BaseChangeCounts counts;
        counts.places[0].bases[k_c] = size;
        const std::vector<uint8_t> qualities(size, k_min_change_quality);
        counts.correct(FragmentEnds::of(0, fragment_bp, 0), 0, std::vector<data::Base>(size, k_c),
                       qualities.data());
        uint64_t sum = 0;
        for (const auto& place : counts.places) sum += place.bases[k_c];
        EXPECT_EQ(sum, size);
        EXPECT_EQ(counts.places[0].bases[k_c], static_cast<uint64_t>(std::max<int64_t>(0, fragment_bp - 34)));
    }
}

TEST(BaseChangeCounts, bases_of_low_quality_do_not_count) {
    BaseChangeCounts counts;
    counts.places[0].bases = {0, 10, 50, 0};  // 10 G and 50 C of the reverse strand
    std::vector<data::Base> reference(60, k_c);
    std::fill(reference.begin(), reference.begin() + 10, k_g);
    std::vector<uint8_t> qualities(60, 30);
    qualities[0] = qualities[30] = qualities[31] = k_min_change_quality - 1;
    counts.correct(FragmentEnds::of(data::k_flag_reverse, 60, 0), 0, reference, qualities.data());
    std::array<uint64_t, 4> all{};
    for (const auto& place : counts.places) {
        for (size_t base = 0; base < 4; ++base) all[base] += place.bases[base];
    }
    EXPECT_EQ(all, (std::array<uint64_t, 4>{0, 9, 48, 0}));
    EXPECT_EQ(counts.places[end_place(0)].bases[k_c], 0u);
    EXPECT_EQ(counts.places[end_place(1)].bases[k_c], 1u);
    EXPECT_EQ(counts.places[0].bases[k_g], 24u);
}

TEST(BaseDamage, errors_of_both_strands_are_none) {
    BaseChangeCounts counts = usual_counts();
    EXPECT_TRUE(damage_of_single_ones(counts).none());
    // Transitions are more frequent than other errors.
    counts.places[0].mismatches[k_c][k_t] = counts.places[0].mismatches[k_g][k_a] = 60'000;
    EXPECT_TRUE(damage_of_single_ones(counts).none());
    EXPECT_EQ(damage_of_single_ones(counts).to_text(), "none");
}

TEST(BaseDamage, changes_of_one_strand_are_damage) {
    BaseChangeCounts counts = usual_counts();
    counts.places[0].mismatches[k_c][k_t] += 200'000;
    const BaseDamage damage = damage_of_single_ones(counts);
    EXPECT_EQ(damage.per_million[0][k_c][k_t], 20'000);
    EXPECT_EQ(damage.per_million[0][k_g][k_a], 0);
    EXPECT_EQ(damage.to_text(), "C>T 2.00 %");
    EXPECT_TRUE(damage.has(change_class(k_g, k_a)));
    EXPECT_FALSE(damage.has(change_class(k_t, k_c)));
    EXPECT_EQ(damage.mismatches_per_million(counts), 5'000);
    EXPECT_EQ(damage.highest_quality(k_c, k_t, 0), 12);  // 0.06, a third of it for each base
    EXPECT_EQ(damage.highest_quality(k_g, k_a, 0), 255);
    EXPECT_EQ(damage.highest_quality(k_c, data::k_base_n, 0), 255);
}

TEST(BaseDamage, few_or_slightly_more_changes_are_none) {
    BaseChangeCounts counts = usual_counts();
    counts.places[0].mismatches[k_g][k_t] = 9'900;  // less than twice as many
    EXPECT_TRUE(damage_of_single_ones(counts).none());
    for (auto& from : counts.places[0].mismatches) from.fill(0);
    counts.places[0].mismatches[k_g][k_t] = 1'900;  // 190 per million
    EXPECT_TRUE(damage_of_single_ones(counts).none());
    counts.places[0].mismatches[k_g][k_t] = 2'100;
    EXPECT_EQ(damage_of_single_ones(counts).to_text(), "G>T 0.02 %");
    counts.places[0].bases.fill(10'000);
    counts.places[0].mismatches[k_g][k_t] = 20;  // 4.5 standard deviations
    EXPECT_TRUE(damage_of_single_ones(counts).none());
}

/// As of ancient DNA: a tenth of all C at the begin, fewer further in, and of all G at the end.
TEST(BaseDamage, changes_at_the_ends_are_told_from_those_inside) {
    BaseChangeCounts counts = usual_counts();
    for (size_t place = 1; place < k_fragment_places; ++place) counts.places[place].bases.fill(200'000);
    counts.places[begin_place(0)].mismatches[k_c][k_t] = 20'000;
    counts.places[begin_place(1)].mismatches[k_c][k_t] = 2'000;
    counts.places[begin_place(2)].mismatches[k_c][k_t] = 390;  // 0.195 %
    counts.places[end_place(0)].mismatches[k_g][k_a] = 16'000;
    const BaseDamage damage = damage_of_single_ones(counts);
    EXPECT_EQ(damage.highest_quality(k_c, k_t, 0), 255);
    EXPECT_EQ(damage.highest_quality(k_c, k_t, begin_place(1)), 15);
    EXPECT_EQ(damage.highest_quality(k_c, k_t, begin_place(2)), 255);
    EXPECT_EQ(damage.highest_quality(k_g, k_a, begin_place(0)), 255);
    EXPECT_EQ(damage.highest_quality(k_c, k_t, begin_place(0)), 5);  // few bases, which are not used below 10
    EXPECT_EQ(damage.highest_quality(k_g, k_a, end_place(0)), 6);
    EXPECT_EQ(damage.highest_quality(k_c, k_t, end_place(0)), 255);
    EXPECT_TRUE(damage.has(change_class(k_c, k_t)));
    EXPECT_EQ(damage.to_text(), "at the begin C>T 10.00 %, at the end G>A 8.00 %");
    EXPECT_EQ(damage.mismatches_per_million(counts), 766);  // 38,000 of 49.6 million bases
}

TEST(BaseDamage, ends_where_nothing_more_is_found_are_as_inside) {
    BaseChangeCounts counts = usual_counts();
    counts.places[0].mismatches[k_c][k_t] += 200'000;
    counts.places[begin_place(0)].bases.fill(50'000);
    counts.places[begin_place(0)].mismatches[k_c][k_t] = 2'500;
    const BaseDamage damage = damage_of_single_ones(counts);
    EXPECT_EQ(damage.highest_quality(k_c, k_t, end_place(3)), 12);
    EXPECT_EQ(damage.per_million[begin_place(0)][k_c][k_t], 50'000);
    EXPECT_EQ(damage.to_text(), "C>T 2.00 %, at the begin C>T 5.00 %");
}

TEST(BaseDamage, many_changes_at_few_positions_are_none) {
    BaseChangeCounts counts;
    counts.places[0].bases.fill(100'000);
    for (int position = 0; position < 10; ++position) {
        for (uint64_t before = 0; before < 10; ++before) counts.add_mismatch(0, k_g, k_a, before);
    }
    EXPECT_EQ(counts.places[0].squares[k_g][k_a], 1000u);
    EXPECT_TRUE(estimate_base_damage(counts).none());
    EXPECT_EQ(damage_of_single_ones(counts).to_text(), "G>A 0.10 %");
}

TEST(BaseDamage, heavy_damage_leaves_a_usable_quality) {
    BaseDamage damage;
    damage.per_million[0][k_c][k_t] = 400'000;
    EXPECT_EQ(damage.highest_quality(k_c, k_t, 0), 10);
}

TEST(BaseDamage, damage_is_not_held_against_the_qualities) {
    SampleProfile profile;
    profile.changes = usual_counts();
    for (auto& from : profile.changes.places[0].mismatches) from.fill(500);
    profile.changes.places[0].mismatches[k_c][k_t] = 200'000;
    profile.bases[37] = 40'000'000;
    profile.mismatches[37] = 206'000;
    const BaseDamage damage = damage_of_single_ones(profile.changes);
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
    damage.per_million[0][k_c][k_t] = 100'000;
    EXPECT_GT(estimate_contamination(profile).parts_per_million, 0);
    EXPECT_EQ(estimate_contamination(profile, damage).parts_per_million, 0);
    EXPECT_EQ(estimate_contamination(profile, damage).sites, 400u);
}

}  // namespace
}  // namespace gannet::variants
