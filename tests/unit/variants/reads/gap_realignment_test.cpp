// SPDX-License-Identifier: MIT
// Tests the realignment of reads with one gap, and the caps behind homopolymer runs.
#include "variants/reads/gap_realignment.hpp"

#include "tests/unit/variants/placed_reads.hpp"
#include "variants/reads/run_end_quality.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

class Realigned : public PlacedReads {
  protected:
    std::string cigar(size_t index) const {
        std::string text;
        for (const uint32_t element : set_.cigar(set_.reads[index]))
            text += std::to_string(data::cigar_length(element)) + "MIDNSHP=X"[data::cigar_op(element)];
        return text;
    }

    GapRealigner realigner_;
};

std::string repeat(const std::string& unit, int copies) {
    std::string text;
    for (int i = 0; i < copies; ++i) text += unit;
    return text;
}

/// Two copies of a repeat of 40 bases, which differ in two.
std::pair<std::string, std::string> two_copies() {
    std::mt19937_64 random(5);
    const std::string copy = random_letters(random, 40);
    std::string other = copy;
    for (const size_t i : {9u, 31u}) other[i] = other[i] == 'A' ? 'G' : 'A';
    return {copy, other};
}

TEST_F(Realigned, clip_beyond_a_repeat_becomes_a_deletion) {
    make("C" + repeat("TTTA", 12) + "G");
    const std::string lost_a_unit = letters_.substr(370, 31) + repeat("TTTA", 11) + letters_.substr(449, 8);
    const auto length = static_cast<uint32_t>(lost_a_unit.size());
    add(lost_a_unit, 370, {match(length - 8), clip(8)});
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "31M4D52M");
    EXPECT_EQ(set_.reads[0].end, 457);
    EXPECT_EQ(set_.reads[0].former_clip, 445);
}

TEST_F(Realigned, mismatches_at_the_left_end_become_an_insertion) {
    make("C" + repeat("TTTA", 12) + "G");
    const std::string gained = letters_.substr(394, 7) + repeat("TTTA", 14) + letters_.substr(449, 37);
    add(gained, 386, {match(static_cast<uint32_t>(gained.size()))});
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "7M8I85M");
    EXPECT_EQ(set_.reads[0].begin, 394);
    EXPECT_EQ(set_.reads[0].former_clip, -1) << "nothing was clipped";
}

TEST_F(Realigned, long_duplication_is_found_from_a_clip) {
    make("");
    const std::string bases = letters_.substr(300, 90) + letters_.substr(350, 60);  // 40 bases twice
    add(bases, 300, {match(90), clip(60)});
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "50M40I60M");
}

TEST_F(Realigned, deletion_of_400_bases_is_found_from_a_clip) {
    std::mt19937_64 random(5);
    make(random_letters(random, 300));
    add(letters_.substr(250, 90) + letters_.substr(740, 60), 250, {match(90), clip(60)});
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "90M400D60M");
}

/// A few mismatches pay for a gap of 40 bases only if it removes, or adds, a copy of its neighbour.
TEST_F(Realigned, a_copy_that_differs_is_cheaper_than_other_bases) {
    std::mt19937_64 random(5);
    const std::string copy = random_letters(random, 40);
    std::string next = copy;
    for (const size_t i : {9u, 20u, 31u}) next[i] = next[i] == 'A' ? 'G' : 'A';
    make(copy + next);
    add(letters_.substr(340, 60) + next, 340, {match(100)}, 25);
    add(letters_.substr(380, 20) + next + copy, 380, {match(100)}, 12);
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "60M40D40M");
    EXPECT_EQ(cigar(1), "20M40I40M");
}

TEST_F(Realigned, reads_without_a_better_gap_stay) {
    make("C" + repeat("TTTA", 12) + "G");
    std::string two_errors = letters_.substr(200, 100);
    two_errors[20] = two_errors[20] == 'A' ? 'C' : 'A';
    two_errors[70] = two_errors[70] == 'A' ? 'C' : 'A';
    add(two_errors, 200, {match(100)});
    std::mt19937_64 random(3);
    add(letters_.substr(210, 80) + random_letters(random, 20), 210, {match(80), clip(20)});  // an adapter
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "100M");
    EXPECT_EQ(cigar(1), "80M20S");
}

/// CCTG and CCTT, one after the other: with two SNVs, a read that ends among the CCTT fits a deletion of a
/// copy too.
TEST_F(Realigned, mismatches_that_other_reads_share_are_no_gap) {
    make("A" + repeat("CCTG", 4) + "TCTG" + repeat("CCTG", 2) + repeat("CCTT", 5) + "G");
    std::string sample = letters_;
    sample[417] = 'C';
    sample[428] = 'T';
    add(sample.substr(330, 109), 330, {match(109)});
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "84M4D25M") << "without others, the deletion is the better explanation";
    set_.clear();
    add(sample.substr(330, 109), 330, {match(109)});
    for (const int64_t begin : {340, 350, 360}) {
        add(sample.substr(static_cast<size_t>(begin), 120), begin, {match(120)});
        add(letters_.substr(static_cast<size_t>(begin), 120), begin, {match(120)});
    }
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "109M") << "half of the others have the SNVs, and no deletion";
}

/// Two SNVs that make a copy like those before it, on half of the reads. Most of these a further copy
/// explains better; but those that begin between the SNVs have the second one, and begin behind that copy.
TEST_F(Realigned, mismatches_of_reads_that_begin_behind_the_gap_are_no_gap) {
    const auto [copy, other] = two_copies();
    make(copy + copy + other + other + other);
    std::string changed = letters_;
    changed.replace(480, 40, copy);
    for (size_t begin = 392; begin < 512; begin += 6) {
        add(letters_.substr(begin, 100), static_cast<int64_t>(begin), {match(100)});
        add(changed.substr(begin, 100), static_cast<int64_t>(begin), {match(100)});
    }
    realigner_.realign(slice_, set_);
    for (size_t i = 0; i < set_.reads.size(); ++i) EXPECT_EQ(cigar(i), "100M") << i;
}

/// The third copy became like the second one by two SNVs, and a further copy explains a read that ends within
/// it as well. Another one has all copies from end to end: none is added.
TEST_F(Realigned, a_read_that_the_gap_does_not_fit_speaks_for_variants) {
    const auto [copy, other] = two_copies();
    make(copy + copy + other + other + other);
    std::string changed = letters_;
    changed.replace(480, 40, copy);
    add(changed.substr(405, 112), 405, {match(112)});
    realigner_.realign(slice_, set_);
    EXPECT_NE(cigar(0), "112M");
    set_.clear();
    add(changed.substr(405, 112), 405, {match(112)});
    add(changed.substr(385, 240), 385, {match(240)});
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "112M");
    EXPECT_EQ(cigar(1), "240M");
}

/// A further copy that has two bases which no other one has is less likely than two SNVs.
TEST_F(Realigned, bases_that_no_copy_has_make_a_further_one_dear) {
    const auto [copy, other] = two_copies();
    make(repeat(copy, 6));
    std::string changed = letters_;
    changed.replace(480, 40, other);
    add(changed.substr(440, 100), 440, {match(100)});
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "100M");
    set_.clear();
    make(repeat(copy, 6) + other);
    changed = letters_;
    changed.replace(480, 40, other);
    add(changed.substr(440, 100), 440, {match(100)});
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "32M40I28M") << "another copy has them";
}

TEST_F(Realigned, mismatches_that_only_gaps_explain_are_a_gap) {
    make("C" + repeat("TTTA", 12) + "G");
    const std::string gained = letters_.substr(394, 7) + repeat("TTTA", 14) + letters_.substr(449, 37);
    for (int i = 0; i < 5; ++i) add(letters_.substr(380, 100), 380, {match(100)});
    for (int i = 0; i < 4; ++i) add(gained, 386, {match(static_cast<uint32_t>(gained.size()))});
    realigner_.realign(slice_, set_);
    for (size_t i = 0; i < 5; ++i) EXPECT_EQ(cigar(i), "100M");
    for (size_t i = 5; i < 9; ++i) EXPECT_EQ(cigar(i), "7M8I85M");
}

TEST_F(Realigned, few_bases_do_not_make_a_gap_outside_repeats) {
    make("");
    // Nine clipped bases that are in the reference 60 bases on: by chance, or not.
    add(letters_.substr(300, 60) + letters_.substr(420, 9), 300, {match(60), clip(9)});
    add(letters_.substr(300, 60) + letters_.substr(420, 20), 300, {match(60), clip(20)});
    realigner_.realign(slice_, set_);
    EXPECT_EQ(cigar(0), "60M9S");
    EXPECT_EQ(cigar(1), "60M60D20M");
}

TEST_F(Realigned, order_and_mates_follow_the_new_positions) {
    make("");
    add(letters_.substr(300, 90), 300, {match(90)});
    add(letters_.substr(305, 90), 305, {match(90)});
    // Its left 30 bases are before a deletion of 50.
    add(letters_.substr(290, 30) + letters_.substr(370, 60), 370, {clip(30), match(60)});
    set_.reads[1].mate = 2;
    set_.reads[2].mate = 1;
    realigner_.realign(slice_, set_);
    EXPECT_EQ(set_.reads[0].begin, 290);
    EXPECT_EQ(cigar(0), "30M50D60M");
    EXPECT_EQ(set_.reads[0].mate, 2);
    EXPECT_EQ(set_.reads[2].mate, 0);
    EXPECT_EQ(set_.reads[1].mate, -1);
    EXPECT_EQ(set_.first_over(360), 0u);
}

TEST_F(Realigned, bases_after_a_run_are_capped_on_the_strand_that_read_the_run_first) {
    make("");
    std::mt19937_64 random(11);
    const std::string bases = "CGTGACGTCC" + std::string(15, 'A') + "C" + random_letters(random, 60);
    add(bases, 0, {match(static_cast<uint32_t>(bases.size()))});
    add(bases, 0, {match(static_cast<uint32_t>(bases.size()))}, 37, true);
    cap_qualities_after_runs(set_);
    for (size_t i = 0; i < bases.size(); ++i) {
        const bool is_after = i >= 25 && i < 25 + k_run_end_reach_bp;
        EXPECT_EQ(set_.qualities[i], is_after ? k_run_end_quality : 37) << i;
        EXPECT_EQ(set_.qualities[bases.size() + i], i < 10 ? k_run_end_quality : 37) << i << ", reverse";
    }
}

TEST_F(Realigned, capped_bases_are_listed_in_the_order_of_the_bases) {
    make("");
    const std::string bases = "CGTGACGTCC" + std::string(15, 'A') + "CAGATCAGTACG";
    for (int i = 0; i < 2; ++i) add(bases, 0, {match(static_cast<uint32_t>(bases.size()))});
    std::swap(set_.reads[0], set_.reads[1]);  // as sort_reads() may
    cap_qualities_after_runs(set_);
    EXPECT_EQ(set_.capped.size(), 24u);
    EXPECT_TRUE(std::is_sorted(set_.capped.begin(), set_.capped.end()));
}

TEST_F(Realigned, runs_are_found_wherever_they_begin) {
    make("");
    constexpr size_t k_length = 71;
    for (size_t run = k_run_bp - 1; run <= k_length; ++run) {
        for (size_t begin = 0; begin + run <= k_length; ++begin) {
            set_.clear();
            std::string bases(k_length, 'C');
            for (size_t i = 1; i < k_length; i += 2) bases[i] = 'G';
            bases.replace(begin, run, run, 'A');
            add(bases, 0, {match(k_length)});
            cap_qualities_after_runs(set_);
            const size_t end = std::min(k_length, begin + run + k_run_end_reach_bp);
            EXPECT_EQ(set_.capped.size(), run < k_run_bp ? 0 : end - begin - run) << run << " from " << begin;
            if (!set_.capped.empty()) {
                EXPECT_EQ(set_.capped.front().first, begin + run);
            }
        }
    }
}

TEST_F(Realigned, short_runs_and_low_qualities_stay) {
    make("");
    const std::string bases = "CGTGACGTCC" + std::string(14, 'A') + "CAGATCAGTACG";
    add(bases, 0, {match(static_cast<uint32_t>(bases.size()))});
    add("CG" + std::string(15, 'T') + "CAGATCAGTACG", 0, {match(29)}, 5);
    cap_qualities_after_runs(set_);
    EXPECT_EQ(std::count(set_.qualities.begin(), set_.qualities.end(), uint8_t{37}),
              static_cast<std::ptrdiff_t>(bases.size()));
    EXPECT_EQ(std::count(set_.qualities.begin(), set_.qualities.end(), uint8_t{5}), 29);
}

}  // namespace
}  // namespace gannet::variants
