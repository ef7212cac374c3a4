// SPDX-License-Identifier: MIT
// Tests the bridging of the two ends of an insertion by mates that are aligned elsewhere.
#include "variants/evidence/mate_bridge.hpp"

#include "tests/unit/variants/caller_support.hpp"
#include "tests/unit/variants/placed_reads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

constexpr size_t k_flank = k_bridge_flank_bp;
constexpr size_t k_mate_bp = 100;

std::vector<data::Base> bases_of(std::string_view letters) {
    std::vector<data::Base> bases(letters.size());
    data::to_bases(letters, bases);
    return bases;
}

/// An insertion of 300 bases of which 60 are known at either end.
class MateBridge : public ::testing::Test {
  protected:
    MateBridge() : random_(3), whole_(random_letters(random_, 300 + 2 * k_flank)) {}

    /// Mates of `whole` at every `step` bases.
    void add_mates(const std::string& whole, size_t step) {
        for (size_t at = 0; at + k_mate_bp <= whole.size(); at += step)
            mates_.push_back(whole.substr(at, k_mate_bp));
    }
    /// `error`: a wrong base near the end of what the reads at the left end show.
    std::string bridged(size_t max_bp = 600, bool error = false) const {
        std::vector<std::vector<data::Base>> mates;
        for (const std::string& mate : mates_) mates.push_back(bases_of(mate));
        const std::vector<std::span<const data::Base>> views(mates.begin(), mates.end());
        auto from = bases_of(whole_.substr(0, k_flank + 60));
        if (error) from[k_flank + 55] ^= 1;
        const auto to = bases_of(whole_.substr(whole_.size() - k_flank - 60));
        return data::to_letters(bridge(from, to, views, max_bp));
    }

    std::mt19937_64 random_;
    std::string whole_;
    std::vector<std::string> mates_;
};

TEST_F(MateBridge, overlapping_mates_show_the_whole_insertion) {
    add_mates(whole_, 20);
    EXPECT_EQ(bridged(), whole_);
}

TEST_F(MateBridge, the_order_of_the_mates_does_not_matter) {
    add_mates(whole_, 20);
    mates_[3][50] = mates_[3][50] == 'A' ? 'C' : 'A';
    std::shuffle(mates_.begin(), mates_.end(), random_);
    EXPECT_EQ(bridged(), whole_);
}

TEST_F(MateBridge, a_mate_that_disagrees_is_outvoted) {
    add_mates(whole_, 20);
    for (size_t i = 10; i < k_mate_bp; i += 30) mates_[5][i] = mates_[5][i] == 'A' ? 'C' : 'A';
    EXPECT_EQ(bridged(), whole_);
}

TEST_F(MateBridge, mates_correct_the_end_that_the_insertion_begins_with) {
    add_mates(whole_, 20);
    EXPECT_EQ(bridged(600, true), whole_);
}

TEST_F(MateBridge, poly_a_that_goes_on_behind_the_insertion_is_no_difference) {
    whole_.replace(whole_.size() - k_flank - 20, 26, std::string(26, 'A'));
    add_mates(whole_, 20);
    EXPECT_EQ(bridged(), whole_);
}

TEST_F(MateBridge, other_bases_than_the_reference_behind_the_insertion_give_nothing) {
    std::string sample = whole_.substr(0, whole_.size() - k_flank + 20) + "ACGTTGCA" +
                         whole_.substr(whole_.size() - k_flank + 20);
    add_mates(sample, 20);
    EXPECT_EQ(bridged(), "");
}

TEST_F(MateBridge, of_two_haplotypes_the_one_that_most_mates_show_is_taken) {
    add_mates(whole_, 10);
    std::string other = whole_;
    other[180] = other[180] == 'A' ? 'C' : 'A';
    add_mates(other, 40);
    EXPECT_EQ(bridged(), whole_);
}

TEST_F(MateBridge, two_haplotypes_with_as_many_mates_give_nothing) {
    std::string other = whole_;
    for (const size_t at : {165, 170, 175, 180}) other[at] = other[at] == 'A' ? 'C' : 'A';
    add_mates(whole_, 20);
    add_mates(other, 20);
    EXPECT_EQ(bridged(), "");
}

TEST_F(MateBridge, mates_that_leave_a_gap_give_nothing) {
    add_mates(whole_.substr(0, 160), 10);
    add_mates(whole_.substr(200), 10);
    EXPECT_EQ(bridged(), "");
}

TEST_F(MateBridge, no_mates_give_nothing) { EXPECT_EQ(bridged(), ""); }

TEST_F(MateBridge, an_insertion_beyond_the_limit_gives_nothing) {
    add_mates(whole_, 20);
    EXPECT_EQ(bridged(whole_.size()), whole_);
    EXPECT_EQ(bridged(whole_.size() - 1), "");
}

TEST_F(MateBridge, overlaps_of_poly_a_give_nothing) {
    // C and 24 A in one place: as many of other copies of the element would fit.
    whole_.replace(150, 26, "C" + std::string(24, 'A') + "G");
    add_mates(whole_.substr(0, 175), 15);
    add_mates(whole_.substr(150), 15);
    EXPECT_EQ(bridged(), "");
}

TEST_F(MateBridge, an_overlap_that_fits_twice_gives_nothing) {
    // Each end has 30 bases twice, with which the only mates that overlap it begin or end.
    whole_.replace(90, 30, whole_.substr(60, 30));
    whole_.replace(330, 30, whole_.substr(300, 30));
    for (const size_t at : {60, 135, 210, 260})
        for (int i = 0; i < 3; ++i) mates_.push_back(whole_.substr(at, k_mate_bp));
    EXPECT_EQ(bridged(), "");
    for (const size_t at : {50, 270})
        for (int i = 0; i < 3; ++i) mates_.push_back(whole_.substr(at, k_mate_bp));
    EXPECT_EQ(bridged(), whole_) << "ones that fit once";
}

/// Reads beside position 400, with mates elsewhere.
class RemoteMates : public PlacedReads {
  protected:
    void add_anchor(int64_t begin, bool reverse, std::string_view mate) {
        add(std::string(50, 'A'), begin, {match(50)}, 37, reverse);
        set_.remote_mates.push_back({set_.remote_bases.size(), mate.size()});
        for (const data::Base base : bases_of(mate)) set_.remote_bases.push_back(base);
        set_.reads.back().remote_mate = static_cast<uint32_t>(set_.remote_mates.size());
    }
};

TEST_F(RemoteMates, of_reads_that_point_to_the_site_are_taken) {
    make("");
    add_anchor(100, true, "AAAA");   // points away
    add_anchor(200, false, "ACCA");  // points to the site
    add(std::string(50, 'A'), 300, {match(50)});
    add_anchor(420, false, "AGGA");  // points away
    add_anchor(500, true, "ATTA");   // points to the site
    std::vector<std::span<const data::Base>> mates;
    remote_mates_beside(set_, 400, mates);
    ASSERT_EQ(mates.size(), 2u);
    EXPECT_EQ(data::to_letters(mates[0]), "ACCA");
    EXPECT_EQ(data::to_letters(mates[1]), "ATTA");
}

TEST_F(RemoteMates, of_reads_beyond_the_reach_of_a_fragment_are_not_taken) {
    make(std::string(2000, 'A'));
    add_anchor(400, false, "ACCA");
    add_anchor(1400, false, "AGGA");
    std::vector<std::span<const data::Base>> mates;
    remote_mates_beside(set_, 1401, mates);
    ASSERT_EQ(mates.size(), 1u);
    EXPECT_EQ(data::to_letters(mates[0]), "AGGA");
}

}  // namespace
}  // namespace gannet::variants
