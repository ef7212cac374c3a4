// SPDX-License-Identifier: MIT
// Tests tandem copies that pairs over their junction show, and what the HighDepth filter makes of them.
#include "variants/alleles/tandem_copies.hpp"

#include "data/record.hpp"
#include "variants/alleles/extra_copy_filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gannet::variants {
namespace {

constexpr int64_t k_read_bp = 150;

class TandemCopiesTest : public ::testing::Test {
  protected:
    /// The 5' ends of the mates say where they point: a reverse read begins k_read_bp before its own.
    void add_pair(int64_t forward, int64_t reverse_begin) {
        const auto apart = static_cast<int32_t>(reverse_begin + k_read_bp - forward);
        add(forward, false, apart);
        add(reverse_begin, true, -apart);
    }
    void add(int64_t begin, bool reverse, int32_t template_length) {
        CallRead read;
        read.begin = begin;
        read.end = begin + k_read_bp;
        read.reverse = reverse;
        read.flags = data::k_flag_paired | (reverse ? data::k_flag_reverse : data::k_flag_mate_reverse);
        read.template_length = template_length;
        set_.reads.push_back(read);
    }
    const std::vector<TandemCopy>& find() {
        std::sort(set_.reads.begin(), set_.reads.end(),
                  [](const CallRead& a, const CallRead& b) { return a.begin < b.begin; });
        find_tandem_copies(set_, copies_);
        return copies_;
    }

    ReadSet set_;
    std::vector<TandemCopy> copies_;
};

TEST_F(TandemCopiesTest, two_pairs_that_point_away_from_each_other_show_one) {
    add_pair(5'700, 2'010);
    EXPECT_TRUE(find().empty());
    add_pair(5'840, 2'200);
    ASSERT_EQ(find().size(), 1u);
    EXPECT_EQ(copies_[0].begin, 2'010);
    EXPECT_EQ(copies_[0].end, 5'990);
    EXPECT_EQ(copies_[0].fragments, 2);
}

TEST_F(TandemCopiesTest, pairs_that_point_to_each_other_show_none) {
    for (int64_t at = 1'000; at < 3'000; at += 100) add_pair(at, at + 250);
    // Of short fragments, with bases of the adapter that fit the reference.
    for (int64_t at = 1'000; at < 3'000; at += 100) add_pair(at, at - 3);
    EXPECT_TRUE(find().empty());
}

TEST_F(TandemCopiesTest, one_end_in_the_window_tells_of_the_other) {
    add(2'010, true, 30'000);
    add(2'200, true, 29'700);
    ASSERT_EQ(find().size(), 1u);
    EXPECT_EQ(copies_[0].begin, 2'010);
    EXPECT_NEAR(static_cast<double>(copies_[0].end), 32'200, 2 * k_read_bp);
}

TEST_F(TandemCopiesTest, pairs_of_different_junctions_do_not_count_together) {
    add_pair(5'700, 2'010);
    add_pair(9'700, 2'050);
    add_pair(5'750, 4'050);
    EXPECT_TRUE(find().empty());
    add_pair(9'900, 2'300);
    ASSERT_EQ(find().size(), 1u);
    EXPECT_EQ(copies_[0].end, 10'050);
}

TEST_F(TandemCopiesTest, a_place_that_is_joined_to_two_others_shows_none) {
    add_pair(5'700, 2'010);
    add_pair(5'840, 2'200);
    EXPECT_EQ(find().size(), 1u);
    add_pair(5'750, 3'900);
    add_pair(5'800, 3'950);
    EXPECT_TRUE(find().empty());
}

constexpr int64_t k_end = 40 * k_copy_bin_bp;
constexpr TandemCopy k_tandem{4'000, 7'000, 15};

class TandemGainTest : public ::testing::Test {
  protected:
    TandemGainTest() {
        evidence_.begin = 0;
        evidence_.end = k_end;
        evidence_.arena.assign(1, data::Base{2});
        evidence_.depth.assign(static_cast<size_t>(k_end) + 1, 30);
        expected_.assign(static_cast<size_t>(k_end / k_copy_bin_bp), int64_t{30} * 256);
        for (const int64_t at : {500, 1'200, 1'500, 2'300, 3'100, 3'700, 8'000, 8'900}) add_snp(at, 15);
    }
    void set_depth(int64_t begin, int64_t end, int32_t depth) {
        std::fill(evidence_.depth.begin() + begin, evidence_.depth.begin() + end, depth);
    }
    void add_snp(int64_t at, uint32_t support) {
        candidates_.push_back({at, at + 1, CandidateKind::snp, {at, 1, 0, 1}, support});
    }
    PlaceCopies at(int64_t position, std::vector<TandemCopy> tandem) {
        std::sort(candidates_.begin(), candidates_.end(),
                  [](const Candidate& a, const Candidate& b) { return a.begin < b.begin; });
        filter_.load(evidence_, candidates_, {expected_}, 2, tandem);
        return filter_.at(position);
    }

    Evidence evidence_;
    std::vector<Candidate> candidates_;
    std::vector<int64_t> expected_;
    ExtraCopyFilter filter_;
};

TEST_F(TandemGainTest, a_tandem_copy_of_both_haplotypes_is_of_the_samples_own_copies) {
    set_depth(4'000, 7'000, 60);
    for (int64_t i = 0; i < 5; ++i) add_snp(4'300 + 500 * i, 30);
    add_snp(5'000, 59);
    EXPECT_EQ(at(4'500, {}).filters, data::k_filter_high_depth);
    EXPECT_EQ(at(4'500, {k_tandem}).filters, 0u);
    EXPECT_EQ(filter_.at(4'500).own, 4);
    EXPECT_EQ(filter_.at(3'900).own, 2);
    EXPECT_EQ(filter_.at(7'100).own, 2);
    EXPECT_EQ(filter_.copy_number().at(4'500), 2);
    filter_.load_remaining(evidence_, candidates_);
    EXPECT_EQ(filter_.copy_number().at(4'500), 2);
}

TEST_F(TandemGainTest, a_short_tandem_copy_of_one_haplotype_is_too) {
    set_depth(4'000, 7'000, 45);
    for (int64_t i = 0; i < 5; ++i) add_snp(4'300 + 500 * i, i % 2 == 0 ? 15 : 30);
    EXPECT_EQ(at(4'500, {}).filters, data::k_filter_high_depth);
    EXPECT_EQ(at(4'500, {k_tandem}).filters, 0u);
    EXPECT_EQ(filter_.at(4'500).own, 3);
    // Over a junction there are about as many fragments as over any place of one copy.
    EXPECT_EQ(at(4'500, {{4'000, 7'000, 5}}).own, 3);
    EXPECT_EQ(at(4'500, {{4'000, 7'000, 4}}).own, 2);
}

TEST_F(TandemGainTest, a_tandem_copy_with_denser_alleles_than_beside_it_has_diverged) {
    set_depth(4'000, 7'000, 60);
    for (int64_t i = 0; i < 25; ++i) add_snp(4'100 + 110 * i, 30);
    for (int64_t i = 0; i < 40; ++i) add_snp(4'131 + 70 * i, 59);
    EXPECT_EQ(at(4'500, {k_tandem}).filters, data::k_filter_high_depth);
    EXPECT_EQ(filter_.at(4'500).own, 2);
    for (int64_t i = 0; i < 30; ++i) add_snp(300 + 110 * i, 15);  // two haplotypes that differ as much
    EXPECT_EQ(at(4'500, {k_tandem}).filters, 0u);
}

TEST_F(TandemGainTest, a_tandem_copy_without_alleles_of_all_copies_has_diverged) {
    set_depth(4'000, 7'000, 60);
    for (int64_t i = 0; i < 25; ++i) add_snp(4'100 + 110 * i, 30);
    for (int64_t i = 0; i < 30; ++i) add_snp(300 + 110 * i, 15);
    EXPECT_EQ(at(4'500, {k_tandem}).filters, data::k_filter_high_depth);
}

TEST_F(TandemGainTest, depth_that_goes_on_beyond_the_junction_is_of_other_copies) {
    set_depth(2'000, 9'000, 60);
    for (int64_t i = 0; i < 12; ++i) add_snp(2'200 + 500 * i, 30);
    EXPECT_EQ(at(4'500, {k_tandem}).filters, data::k_filter_high_depth);
    EXPECT_EQ(filter_.at(4'500).own, 2);
}

TEST_F(TandemGainTest, usual_depth_is_of_no_further_copies) {
    for (int64_t i = 0; i < 5; ++i) add_snp(4'300 + 500 * i, 15);
    EXPECT_EQ(at(4'500, {k_tandem}).own, 2);
    set_depth(4'000, 7'000, 15);
    EXPECT_EQ(at(4'500, {k_tandem}).own, 2);
    set_depth(4'000, 7'000, 150);  // nor is that of many copies the sample's own
    EXPECT_EQ(at(4'500, {k_tandem}).own, 2);
}

}  // namespace
}  // namespace gannet::variants
