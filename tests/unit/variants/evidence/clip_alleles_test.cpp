// SPDX-License-Identifier: MIT
// Tests the insertions and deletions that clipped reads show together.
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

/// A sample without 100 bases of the reference.
class Deleted : public PlacedReads {
  protected:
    static constexpr int64_t k_from = 400, k_to = 500;

    Deleted() {
        make("");
        sample_ = letters_.substr(0, k_from) + letters_.substr(k_to);
    }
    /// A base that is neither this one nor that of the other strand.
    static char other(char base) { return base == 'A' || base == 'T' ? 'C' : 'A'; }
    /// Other bases from `begin` on, one of each `step`.
    void change(std::string& bases, int64_t begin, int64_t end, int64_t step) {
        for (int64_t at = begin; at < end; at += step)
            bases[static_cast<size_t>(at)] = other(bases[static_cast<size_t>(at)]);
    }
    /// A read of 100 bases that has `clipped` bases behind the deletion.
    void add_left_of_it(const std::string& sample, uint32_t clipped) {
        const int64_t begin = k_from - 100 + clipped;
        add(sample.substr(static_cast<size_t>(begin), 100), begin, {match(100 - clipped), clip(clipped)});
    }
    /// A read that an aligner takes for one of the reference from `before` bases before the deletion's end.
    void add_unclipped(const std::string& sample, int64_t before) {
        add(sample.substr(static_cast<size_t>(k_from - before), 100), k_to - before, {match(100)});
    }
    std::vector<int32_t> deleted() {
        gather_evidence(set_, slice_, 100, 700, 10, evidence_);
        std::vector<int32_t> sizes;
        for (const IndelEvent& event : evidence_.indels) sizes.push_back(event.allele.reference_length);
        return sizes;
    }

    std::string sample_;
    Evidence evidence_;
};

TEST_F(Deleted, snvs_of_its_haplotype_do_not_hide_it) {
    // A base of ten differs behind the deletion.
    change(sample_, k_from + 15, k_from + 60, 10);
    for (const uint32_t clipped : {60, 58, 56}) add_left_of_it(sample_, clipped);
    EXPECT_EQ(deleted(), (std::vector<int32_t>{100, 100, 100}));
}

TEST_F(Deleted, clips_that_begin_too_early_show_it_at_its_place) {
    // Neither base before the deletion is as the one 100 bases further.
    letters_.replace(k_from - 2, 2, "AC");
    letters_.replace(k_to - 2, 2, "GT");
    reference_ = make_reference(letters_);
    slice_.load(*reference_, 0, 0, static_cast<int64_t>(letters_.size()));
    sample_ = letters_.substr(0, k_from) + letters_.substr(k_to);
    for (const uint32_t clipped : {60, 58, 56}) {
        const int64_t begin = k_from - 100 + clipped - 2;
        add(sample_.substr(static_cast<size_t>(begin), 100), begin, {match(100 - clipped), clip(clipped)});
    }
    EXPECT_EQ(deleted(), (std::vector<int32_t>{100, 100, 100}));
    for (const IndelEvent& event : evidence_.indels) EXPECT_EQ(event.allele.position, k_from);
}

TEST_F(Deleted, reads_whose_runs_of_a_base_differ_show_one_each) {
    // A run of 20 A before the deleted bases; haplotypes have 12 and 14 of them.
    for (int64_t at = k_from - 20; at < k_from; ++at) letters_[static_cast<size_t>(at)] = 'A';
    letters_[k_from] = 'C';
    letters_[k_from - 21] = letters_[k_to] = 'G';
    letters_[k_to - 1] = 'T';
    reference_ = make_reference(letters_);
    slice_.load(*reference_, 0, 0, static_cast<int64_t>(letters_.size()));
    for (const int64_t lost : {6, 8}) {
        const std::string sample = letters_.substr(0, k_from - lost) + letters_.substr(k_to);
        for (const uint32_t clipped : {50, 49, 48}) {
            const int64_t begin = k_from - lost - 100 + clipped;
            add(sample.substr(static_cast<size_t>(begin), 100), begin, {match(100 - clipped), clip(clipped)});
        }
    }
    std::vector<int32_t> sizes = deleted();
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, (std::vector<int32_t>{106, 106, 106, 108, 108, 108}));
}

TEST_F(Deleted, reads_without_clips_show_its_other_end) {
    // Both ends are alike but for one base of six: reads from the right have mismatches.
    std::string alike = letters_.substr(k_to - 60, 60);
    change(alike, 3, 60, 6);
    letters_.replace(k_from - 60, 60, alike);
    reference_ = make_reference(letters_);
    slice_.load(*reference_, 0, 0, static_cast<int64_t>(letters_.size()));
    sample_ = letters_.substr(0, k_from) + letters_.substr(k_to);
    for (const uint32_t clipped : {20, 19, 18}) add_left_of_it(sample_, clipped);
    EXPECT_TRUE(deleted().empty()) << "few bases of one side";
    for (const int64_t before : {50, 45}) add_unclipped(sample_, before);
    EXPECT_EQ(deleted(), (std::vector<int32_t>{100, 100, 100, 100, 100}));
}

/// An element of 120 bases is inserted at 400, with 14 bases of the reference twice; one like it follows in
/// the reference at 600.
class InsertedElement : public PlacedReads {
  protected:
    static constexpr int64_t k_place = 400, k_next = 600;

    void SetUp() override {
        std::mt19937_64 random(23);
        const std::string element = random_letters(random, 120);
        make(random_letters(random, k_next - k_place) + element);
        sample_ = letters_.substr(0, k_place) + element + letters_.substr(k_place - 14);
    }
    void add_left_of_it(uint32_t clipped) {
        const int64_t begin = k_place - 100 + clipped;
        add(sample_.substr(static_cast<size_t>(begin), 100), begin, {match(100 - clipped), clip(clipped)});
    }
    void add_right_of_it(uint32_t clipped) {
        add(sample_.substr(k_place + 120 - clipped, 100), k_place - 14,
            {clip(clipped), match(100 - clipped)});
    }
    bool shows_deletion() {
        Evidence evidence;
        gather_evidence(set_, slice_, 100, 900, 10, evidence);
        return std::any_of(evidence.indels.begin(), evidence.indels.end(), [](const IndelEvent& event) {
            return event.allele.reference_length == k_next - k_place;
        });
    }
    std::string sample_;
};

TEST_F(InsertedElement, is_no_deletion_up_to_the_next_one_like_it) {
    for (const uint32_t clipped : {60, 55, 50}) add_left_of_it(clipped);
    for (const uint32_t clipped : {60, 55, 50}) add_right_of_it(clipped);
    EXPECT_FALSE(shows_deletion());
}

TEST_F(InsertedElement, without_reads_of_its_other_end_it_looks_like_one) {
    for (const uint32_t clipped : {60, 55, 50}) add_left_of_it(clipped);
    EXPECT_TRUE(shows_deletion());
}

}  // namespace
}  // namespace gannet::variants
