// SPDX-License-Identifier: MIT
// Tests the insertions that clipped reads show together.
#include "variants/evidence/clip_alleles.hpp"

#include "tests/unit/variants/placed_reads.hpp"
#include "variants/evidence/evidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

/// A sample with 40 bases inserted before position 400 of the reference.
class Inserted : public PlacedReads {
  protected:
    static constexpr int64_t k_place = 400;

    /// The last two inserted bases are those before the insertion, so that it can be moved by two.
    void insert() {
        make("");
        letters_.replace(k_place - 3, 4, "TACG");
        reference_ = make_reference(letters_);
        slice_.load(*reference_, 0, 0, static_cast<int64_t>(letters_.size()));
        std::mt19937_64 random(19);
        inserted_ = "T" + random_letters(random, 36) + "GAC";
        sample_ = letters_.substr(0, k_place) + inserted_ + letters_.substr(k_place);
    }

    /// A read of 100 bases that ends `clipped` bases into the insertion.
    void add_left_of_it(uint32_t clipped) {
        const int64_t begin = k_place - 100 + clipped;
        add(sample_.substr(static_cast<size_t>(begin), 100), begin, {match(100 - clipped), clip(clipped)});
    }

    /// A read of 100 bases with the last `clipped` bases of the insertion; an aligner matches two of them.
    void add_right_of_it(uint32_t clipped) {
        const size_t begin = k_place + inserted_.size() - clipped;
        add(sample_.substr(begin, 100), k_place - 2, {clip(clipped - 2), match(102 - clipped)});
    }

    std::vector<IndelEvent> gather() {
        gather_evidence(set_, slice_, 100, 700, 10, evidence_);
        return evidence_.indels;
    }

    std::string inserted_;
    std::string sample_;
    Evidence evidence_;
};

TEST_F(Inserted, both_ends_show_one_allele_in_its_leftmost_place) {
    insert();
    for (const uint32_t clipped : {30, 28, 26}) add_left_of_it(clipped);
    for (const uint32_t clipped : {30, 28}) add_right_of_it(clipped);
    const auto events = gather();
    ASSERT_EQ(events.size(), 5u);
    const std::string rotated = "AC" + inserted_.substr(0, 38);
    for (const IndelEvent& event : events) {
        EXPECT_EQ(event.allele.position, k_place - 2);
        std::string bases;
        for (const data::Base base : bases_of(event.allele, evidence_.arena)) bases += "ACGT"[base];
        EXPECT_EQ(bases, rotated);
    }
}

TEST_F(Inserted, one_read_is_enough_at_one_end) {
    insert();
    for (const uint32_t clipped : {30, 28}) add_left_of_it(clipped);
    add_right_of_it(30);
    const auto events = gather();
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events.front().allele.alternate_length, 40);
    EXPECT_TRUE(compare_alleles(events.front().allele, events.back().allele, evidence_.arena) == 0);
}

TEST_F(Inserted, one_read_at_each_end_is_not_enough) {
    insert();
    add_left_of_it(30);
    std::mt19937_64 random(5);
    add(letters_.substr(330, 70) + random_letters(random, 30), 330, {match(70), clip(30)});
    add_right_of_it(30);
    EXPECT_TRUE(gather().empty());
}

/// A repeat of 10 copies of TTCC, of which the sample has 23 with TTAC as the ninth. Reads from the left end
/// within the first ten and show an SNV; reads from the right are clipped where the repeat begins.
class Interrupted : public PlacedReads {
  protected:
    static constexpr int64_t k_begin = 400, k_end = 440;

    Interrupted() {
        make(copies(10));
        sample_ = letters_.substr(0, k_begin) + copies(8) + "TTAC" + copies(14) + letters_.substr(k_end);
    }
    static std::string copies(int count) {
        std::string text;
        for (int i = 0; i < count; ++i) text += "TTCC";
        return text;
    }
    void add_from_left(int64_t begin) {
        const auto length = static_cast<uint32_t>(k_end - begin);
        add(sample_.substr(static_cast<size_t>(begin), length), begin, {match(length)});
    }
    /// `clipped` bases before the last ten copies.
    void add_from_right(uint32_t clipped) {
        const auto begin = static_cast<size_t>(k_begin + 13 * 4 - clipped);
        add(sample_.substr(begin, 100), k_begin, {clip(clipped), match(100 - clipped)});
    }
    std::vector<IndelEvent> gather() {
        gather_evidence(set_, slice_, 100, 700, 10, evidence_);
        return evidence_.indels;
    }

    std::string sample_;
    Evidence evidence_;
};

TEST_F(Interrupted, reads_with_the_interruption_and_clips_show_the_insertion) {
    for (const int64_t begin : {350, 352, 354}) add_from_left(begin);
    for (const uint32_t clipped : {36, 34, 32}) add_from_right(clipped);
    const auto events = gather();
    ASSERT_EQ(events.size(), 6u);
    for (const IndelEvent& event : events) {
        EXPECT_EQ(event.allele.reference_length, 0);
        EXPECT_EQ(event.allele.alternate_length, 52);
        const auto bases = bases_of(event.allele, evidence_.arena);
        EXPECT_EQ(std::count(bases.begin(), bases.end(), data::k_base_of_letter['A']), 1);
    }
}

TEST_F(Interrupted, one_read_with_the_interruption_is_not_enough) {
    add_from_left(350);
    for (const uint32_t clipped : {36, 34, 32}) add_from_right(clipped);
    EXPECT_TRUE(gather().empty());
}

TEST_F(Interrupted, clips_that_reach_no_interruption_show_nothing) {
    for (const int64_t begin : {350, 352, 354}) add_from_left(begin);
    for (const uint32_t clipped : {15, 14, 13}) add_from_right(clipped);
    EXPECT_TRUE(gather().empty());
}

}  // namespace
}  // namespace gannet::variants
