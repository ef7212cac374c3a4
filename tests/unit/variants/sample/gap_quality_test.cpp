// SPDX-License-Identifier: MIT
// Tests gap qualities by tandem repeat, and their fit to the changes of repeats that were counted in a
// sample.
#include "variants/sample/gap_quality.hpp"

#include "tests/support/repeat_rich_bases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

constexpr uint64_t k_billion = 1'000'000'000;

GapCounts::Count counted(uint64_t changed, uint64_t expected) { return {changed, expected * k_billion}; }

TEST(GapQualityTable, is_the_usual_one_without_counts_and_with_as_many_as_are_expected) {
    GapCounts counts;
    EXPECT_EQ(gap_qualities_of(counts), usual_gap_qualities());
    counts.homopolymer.fill(counted(1000, 1000));
    counts.period_2.fill(counted(1000, 1000));
    counts.longer.fill(counted(1000, 1000));
    EXPECT_EQ(gap_qualities_of(counts), usual_gap_qualities());
    EXPECT_EQ(to_text(gap_qualities_of(counts)), "as usual");
}

TEST(GapQualityTable, four_times_the_changes_are_six_phred_less) {
    const GapQualityTable& usual = usual_gap_qualities();
    GapCounts counts;
    counts.period_2.fill(counted(40'000, 10'000));
    const GapQualityTable table = gap_qualities_of(counts);
    EXPECT_EQ(table.period_2[10], usual.period_2[10] - 6);
    EXPECT_EQ(table.period_2[16], usual.period_2[16] - 6);
    EXPECT_EQ(table.homopolymer, usual.homopolymer);
    EXPECT_EQ(table.longer, usual.longer);
    EXPECT_EQ(to_text(table), "lowered by up to 6 in repeats of period 2");
}

TEST(GapQualityTable, half_the_changes_of_homopolymers_are_three_phred_more) {
    const GapQualityTable& usual = usual_gap_qualities();
    GapCounts counts;
    counts.homopolymer.fill(counted(500'000, 1'000'000));
    counts.period_2.fill(counted(10, 10'000));
    const GapQualityTable table = gap_qualities_of(counts);
    EXPECT_EQ(table.homopolymer[12], usual.homopolymer[12] + 3);
    EXPECT_EQ(table.homopolymer[20], usual.homopolymer[20] + 3);
    EXPECT_EQ(table.homopolymer[6], 45);  // that of no repeat
    EXPECT_EQ(table.period_2, usual.period_2);
    EXPECT_EQ(table.longer, usual.longer);
    EXPECT_FALSE(has_much_stutter(table));
    EXPECT_EQ(to_text(table), "raised by up to 3 in homopolymers");
}

TEST(GapQualityTable, no_number_of_changes_raises_by_more_than_six) {
    GapCounts counts;
    counts.homopolymer.fill(counted(10, 10'000));
    EXPECT_EQ(gap_qualities_of(counts).homopolymer[20], usual_gap_qualities().homopolymer[20] + 6);
}

TEST(GapQualityTable, changes_of_longer_units_within_two_deviations_of_the_expected_ones_move_nothing) {
    const GapQualityTable& usual = usual_gap_qualities();
    GapCounts counts;
    counts.period_2[12] = counted(81, 64);
    EXPECT_EQ(gap_qualities_of(counts), usual);
    counts.homopolymer[18] = counted(81, 64);
    EXPECT_EQ(gap_qualities_of(counts).homopolymer[18], usual.homopolymer[18] - 1);
    counts.period_2[12] = counted(81, 16);
    EXPECT_LT(gap_qualities_of(counts).period_2[12], usual.period_2[12]);
}

TEST(GapQualityTable, is_measured_with_25_expected_changes_of_homopolymers) {
    GapCounts counts;
    EXPECT_FALSE(gap_qualities_of(counts).is_measured);
    EXPECT_FALSE(usual_gap_qualities().is_measured);
    counts.homopolymer[12] = counted(10, 12);
    counts.homopolymer[18] = counted(10, 12);
    counts.period_2.fill(counted(1000, 1000));
    EXPECT_FALSE(gap_qualities_of(counts).is_measured);
    counts.homopolymer[6] = counted(0, 1);
    EXPECT_TRUE(gap_qualities_of(counts).is_measured);
}

TEST(GapQualityTable, much_stutter_is_that_of_the_kind_in_a_library_with_much) {
    GapQualityTable table = usual_gap_qualities();
    for (uint8_t& quality : table.period_2) quality = static_cast<uint8_t>(quality - 7);
    EXPECT_FALSE(has_much_stutter(table, 24, 2));  // few and variable repeats
    for (uint8_t& quality : table.homopolymer) quality = static_cast<uint8_t>(quality - 4);
    EXPECT_FALSE(has_much_stutter(table, 24, 2));  // usual libraries have that by chance
    for (uint8_t& quality : table.homopolymer) quality = static_cast<uint8_t>(quality - 1);
    EXPECT_TRUE(has_much_stutter(table, 24, 2));
    EXPECT_TRUE(has_much_stutter(table, 16, 1));
    EXPECT_FALSE(has_much_stutter(table, 24, 3));
}

TEST(GapQualityTable, a_length_without_counts_follows_the_shorter_one) {
    const GapQualityTable& usual = usual_gap_qualities();
    GapCounts counts;
    counts.homopolymer[10] = counted(100'000, 10'000);
    const GapQualityTable table = gap_qualities_of(counts);
    EXPECT_EQ(table.homopolymer[9], usual.homopolymer[9]);
    for (size_t length = 10; length <= 20; ++length)
        EXPECT_EQ(table.homopolymer[length], std::max(10, usual.homopolymer[length] - 10)) << length;
}

TEST(GapQualityTable, few_changes_move_nothing) {
    GapCounts counts;
    counts.homopolymer[10] = counted(2, 0);
    EXPECT_EQ(gap_qualities_of(counts), usual_gap_qualities());
    counts.homopolymer[10] = counted(24, 0);  // and 25 by the prior
    EXPECT_EQ(gap_qualities_of(counts).homopolymer[10], usual_gap_qualities().homopolymer[10] - 3);
}

TEST(GapQualityTable, repeats_of_which_little_is_known_follow_the_homopolymers) {
    const GapQualityTable& usual = usual_gap_qualities();
    GapCounts counts;
    counts.homopolymer.fill(counted(40'000, 10'000));
    const GapQualityTable table = gap_qualities_of(counts);
    EXPECT_EQ(table.homopolymer[10], usual.homopolymer[10] - 6);
    EXPECT_EQ(table.period_2[10], usual.period_2[10] - 6);
    EXPECT_EQ(table.longer[10], usual.longer[10] - 6);
}

TEST(GapQualityTable, no_longer_repeat_has_a_higher_quality) {
    GapCounts counts;
    counts.homopolymer[7] = counted(1'000'000, 10'000);
    counts.homopolymer[8] = counted(10'000, 10'000);
    const GapQualityTable table = gap_qualities_of(counts);
    EXPECT_EQ(table.homopolymer[7], 21);
    EXPECT_EQ(table.homopolymer[8], 21);
    EXPECT_TRUE(std::is_sorted(table.homopolymer.rbegin(), table.homopolymer.rend()));
}

TEST(GapQualityTable, no_number_of_changes_goes_below_ten) {
    GapCounts counts;
    counts.homopolymer.fill(counted(1'000'000'000, 1));
    counts.longer.fill(counted(1'000'000'000, 0));
    const GapQualityTable table = gap_qualities_of(counts);
    EXPECT_EQ(table.homopolymer[20], 10);
    EXPECT_EQ(table.longer[16], 10);
    EXPECT_EQ(table.homopolymer[5], usual_gap_qualities().homopolymer[5] - 20);
}

TEST(GapQualityTable, usual_changes_are_those_of_the_table) {
    // 21 places for a gap of quality 36, and 24 for one of 37 whose second base is one in ten.
    EXPECT_NEAR(static_cast<double>(stutter_per_billion(usual_gap_qualities(), 10, 1)), 21 * 251'189, 100);
    EXPECT_NEAR(static_cast<double>(stutter_per_billion(usual_gap_qualities(), 12, 2)), 24 * 19'953, 100);
    EXPECT_LT(stutter_per_billion(usual_gap_qualities(), 12, 3),
              stutter_per_billion(usual_gap_qualities(), 12, 2) / 5);
}

std::vector<uint8_t> qualities_at_all(const GapQualityTable& table, std::span<const data::Base> bases) {
    data::TandemRepeats repeats;
    repeats.find(bases);
    std::vector<uint8_t> out;
    gap_qualities(table, repeats, 0, bases.size(), out);
    return out;
}

TEST(GapQualities, follow_the_table_of_the_period) {
    GapQualityTable table = usual_gap_qualities();
    table.period_2.fill(20);
    table.longer.fill(30);
    table.period_2[0] = table.period_2[1] = table.period_2[2] = 45;
    table.longer[0] = table.longer[1] = table.longer[2] = 45;
    const auto qualities_of = [&](std::initializer_list<data::Base> bases) {
        return qualities_at_all(table, std::vector<data::Base>(bases));
    };
    EXPECT_EQ(qualities_of({0, 1, 0, 1, 0, 1, 0, 1}), std::vector<uint8_t>(8, 20));
    EXPECT_EQ(qualities_of({0, 1, 2, 0, 1, 2, 0, 1, 2}), std::vector<uint8_t>(9, 30));
}

TEST(GapQualities, are_those_of_the_shortest_period) {
    GapQualityTable table = usual_gap_qualities();
    table.longer.fill(10);
    std::vector<data::Base> bases;
    for (size_t i = 0; i < 24; ++i) bases.push_back(static_cast<data::Base>(i % 2));
    EXPECT_EQ(qualities_at_all(table, bases), std::vector<uint8_t>(24, table.period_2[12]));
    bases.assign(24, data::Base{3});
    table.period_2.fill(10);
    EXPECT_EQ(qualities_at_all(table, bases), std::vector<uint8_t>(24, table.homopolymer.back()));
    EXPECT_GT(table.homopolymer.back(), 10);
    // Twice ACT and ACG, of period 6 alone.
    bases.clear();
    for (size_t i = 0; i < 24; ++i) bases.push_back(std::array<data::Base, 6>{0, 1, 3, 0, 1, 2}[i % 6]);
    EXPECT_EQ(qualities_at_all(table, bases), std::vector<uint8_t>(24, 10));
}

TEST(GapQualities, fall_with_the_length_of_the_repeat) {
    const std::string letters = "GATCGTTTTTTTTTTTTCGATGACACACACACACACGTA";
    std::vector<data::Base> bases(letters.size());
    data::to_bases(letters, bases);
    const std::vector<uint8_t> qualities = qualities_at_all(usual_gap_qualities(), bases);
    ASSERT_EQ(qualities.size(), letters.size());
    EXPECT_EQ(qualities[0], 45);
    const auto run = letters.find("TTTTT");
    EXPECT_LT(qualities[run], 40);
    EXPECT_EQ(qualities[run], qualities[run + 11]);
    EXPECT_LT(qualities[letters.find("ACACACAC")], 45);
    EXPECT_GT(qualities[letters.find("ACACACAC")], qualities[run]);
    EXPECT_EQ(qualities.back(), 45);
}

/// The lowest of the qualities of the repeats that cover each base, period by period.
std::vector<uint8_t> lowest_gap_qualities(std::span<const data::Base> bases) {
    std::vector<uint8_t> lowest(bases.size(), 45);
    for (size_t period = 1; period <= 6; ++period) {
        for (size_t begin = 0; begin + period < bases.size(); ++begin) {
            size_t end = begin + period;
            while (end < bases.size() && bases[end] == bases[end - period]) ++end;
            const std::span<const data::Base> unit = bases.subspan(begin, period);
            // Copies of the unit alone, which are as many as those of the repeat that it is in.
            std::vector<data::Base> repeat;
            for (size_t i = 0; i < end - begin; ++i) repeat.push_back(unit[i % period]);
            const std::vector<uint8_t> qualities = qualities_at_all(usual_gap_qualities(), repeat);
            for (size_t i = begin; i < end; ++i) lowest[i] = std::min(lowest[i], qualities[i - begin]);
        }
    }
    return lowest;
}

TEST(GapQualities, repeats_are_found_wherever_they_begin) {
    std::mt19937_64 random(8);
    for (int round = 0; round < 300; ++round) {
        std::vector<data::Base> bases;
        while (bases.size() < 60) {  // repeats of all periods and lengths with a few bases between them
            const size_t period = 1 + random() % 6;
            std::vector<data::Base> unit;
            for (size_t i = 0; i < period; ++i) unit.push_back(static_cast<data::Base>(random() % 4));
            const size_t length = 1 + random() % (5 * period);
            for (size_t i = 0; i < length; ++i) bases.push_back(unit[i % period]);
        }
        const std::vector<uint8_t> qualities = qualities_at_all(usual_gap_qualities(), bases);
        EXPECT_EQ(qualities, lowest_gap_qualities(bases)) << round;
    }
}

/// By a walk, base by base.
std::vector<uint8_t> walked_qualities(const GapQualityTable& table, std::span<const data::Base> bases) {
    std::vector<uint8_t> out(bases.size(), 45);
    for (size_t period = 1; period <= 6; ++period) {
        const std::span<const uint8_t> qualities = table.of_period(period);
        const size_t shortest = std::max<size_t>(4, 2 * period);
        for (size_t at = period + shortest - 1; at < bases.size(); at += shortest) {
            if (bases[at] != bases[at - period]) continue;
            size_t first = at;
            while (first > period && bases[first - 1] == bases[first - 1 - period]) --first;
            size_t end = at + 1;
            while (end < bases.size() && bases[end] == bases[end - period]) ++end;
            const uint8_t quality = qualities[std::min((end - first) / period + 1, qualities.size() - 1)];
            const bool is_shortest = data::unit_length(bases.subspan(first - period, period)) == period;
            if (quality < 45 && is_shortest) {
                for (size_t i = first - period; i < end; ++i) out[i] = std::min(out[i], quality);
            }
            at += (end - at) / shortest * shortest;
        }
    }
    return out;
}

/// That of a window within a longer sequence is also the one of the window with 512 bases to both sides, as
/// the confidence in the reference had it.
TEST(GapQualities, are_those_of_a_walk_also_of_n_and_within_a_longer_sequence) {
    constexpr size_t k_margin = 512;
    std::mt19937_64 random(9);
    GapCounts counts;
    counts.homopolymer[8] = counted(900, 300);
    counts.period_2[7] = counted(90, 20);
    counts.longer[4] = counted(900, 20);
    const GapQualityTable lowered = gap_qualities_of(counts);
    ASSERT_FALSE(lowered == usual_gap_qualities());
    for (int round = 0; round < 2'000; ++round) {
        const GapQualityTable& table = round % 2 == 0 ? usual_gap_qualities() : lowered;
        const std::vector<data::Base> bases =
            gannet::testing::repeat_rich_bases(random, 1 + random() % 3'000);
        ASSERT_EQ(qualities_at_all(table, bases), walked_qualities(table, bases)) << data::to_letters(bases);
        if (bases.size() <= 2 * k_margin) continue;
        const size_t begin = k_margin + random() % (bases.size() - 2 * k_margin);
        const size_t end = begin + random() % (bases.size() - k_margin - begin);
        const auto nearby = std::span(bases).subspan(begin - k_margin, end - begin + 2 * k_margin);
        std::vector<uint8_t> walked = walked_qualities(table, nearby);
        walked = {walked.begin() + k_margin, walked.end() - k_margin};
        data::TandemRepeats repeats;
        repeats.find(bases);
        std::vector<uint8_t> qualities;
        gap_qualities(table, repeats, begin, end, qualities);
        ASSERT_EQ(qualities, walked) << data::to_letters(bases) << " " << begin << " " << end;
    }
}

}  // namespace
}  // namespace gannet::variants
