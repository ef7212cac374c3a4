// SPDX-License-Identifier: MIT
// Provides tests of the search for pairs that match about as well as the chosen one: copies made on purpose.
#include "align/pairing/pair_search.hpp"

#include "tests/unit/align/packed_batch.hpp"

#include <gtest/gtest.h>

namespace gannet::align {
namespace {

using tests::Genome;
using tests::other_base;
using tests::Random;
using tests::reverse_complement;

constexpr InsertSizeModel k_model{true, 400, 50, 200, 600};
constexpr size_t k_length = 150;
constexpr size_t k_unit_bp = 500;
/// The reads of the chosen pair: the first 150 bases of the unit, and 150 bases that end at 400.
constexpr size_t k_second = 250;

/// A unit of 500 bases and its copies, each 2,000 bp behind the last one in random sequence.
class PairSearchTest : public testing::Test {
  protected:
    PairSearchTest() : unit(random.bases(k_unit_bp)) { place(unit); }

    void place(const std::string& copy) { sequence += random.bases(2'000 - k_unit_bp) + copy; }
    static std::string changed(std::string copy, std::initializer_list<size_t> at) {
        for (const size_t base : at) copy[base] = other_base(copy[base]);
        return copy;
    }
    /// The candidate of a read at the first unit; `second`: of the second one.
    Candidate chosen(const Ungapped& ungapped, const Genome& genome, bool second) const {
        Candidate out;
        out.strand = second;
        out.diagonal = static_cast<int64_t>(genome.reference->contigs()[0].offset + 2'000 - k_unit_bp +
                                            (second ? k_second : 0));
        EXPECT_TRUE(ungapped.compare(second, out));
        EXPECT_EQ(out.score, 150);
        return out;
    }
    std::optional<std::pair<Rivals, Rivals>> search(bool gapped = false) {
        const Genome genome({{"c", sequence + random.bases(1'000)}});
        const tests::PackedBatch packed(
            genome,
            tests::make_batch({unit.substr(0, k_length), reverse_complement(unit.substr(k_second, k_length))},
                              true));
        Candidate a = chosen(packed.ungapped, genome, false);
        const Candidate b = chosen(packed.ungapped, genome, true);
        a.left_gapped = gapped;
        return PairSearch(packed.positions, k_model).search(0, a, 1, b);
    }

    Random random{61};
    std::string sequence;
    std::string unit;
};

TEST_F(PairSearchTest, a_pair_without_copies_has_no_rival) {
    const auto found = search();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->first.near_equal, 0u);
    EXPECT_EQ(found->first.margin, k_nothing_left_out);
    EXPECT_EQ(found->second.margin, k_nothing_left_out);
}

TEST_F(PairSearchTest, exact_copies_on_both_strands_are_counted) {
    place(unit);
    place(reverse_complement(unit));
    place(unit);
    const auto found = search();
    ASSERT_TRUE(found);
    for (const Rivals& of : {found->first, found->second}) {
        EXPECT_EQ(of.near_equal, 3u);
        EXPECT_EQ(of.margin, 0);
    }
}

TEST_F(PairSearchTest, a_copy_with_one_mismatch_is_found_wherever_it_is) {
    for (const size_t at : {0u, 40u, 75u, 110u, 149u, 251u, 290u, 325u, 360u, 399u}) {
        sequence.clear();
        place(unit);
        place(changed(unit, {at}));
        const auto found = search();
        ASSERT_TRUE(found) << at;
        for (const Rivals& of : {found->first, found->second}) {
            EXPECT_EQ(of.near_equal, 1u) << at;
            // 5 units, and up to 2 more by base quality.
            EXPECT_GE(of.margin, 5 * k_score_unit) << at;
            EXPECT_LE(of.margin, 7 * k_score_unit) << at;
        }
    }
}

TEST_F(PairSearchTest, copies_with_a_mismatch_in_the_middle_of_both_reads_are_none) {
    // Neither read matches there in its longest part, which is more than half of it.
    place(changed(unit, {75, k_second + 75}));
    const auto found = search();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->first.near_equal, 0u);
    EXPECT_EQ(found->second.near_equal, 0u);
}

TEST_F(PairSearchTest, the_insert_has_to_be_a_proper_one) {
    // 200 bp more between the two reads make 600 bp, 201 too many; 112 is what four standard deviations cost.
    for (const size_t more : {200u, 201u}) {
        sequence.clear();
        place(unit);
        std::string longer = unit;
        longer.insert(200, random.bases(more));
        place(longer);
        const auto found = search();
        ASSERT_TRUE(found);
        EXPECT_EQ(found->first.margin, more == 200 ? 112 : k_nothing_left_out);
        EXPECT_EQ(found->second.margin, more == 200 ? 112 : k_nothing_left_out);
    }
}

TEST_F(PairSearchTest, a_second_place_of_one_mate_is_no_rival_of_the_other) {
    // The second read again 30 bp behind its chosen place: there the pair has an insert of 550 bp.
    sequence.clear();
    place(unit.substr(0, 400) + unit.substr(k_second, k_length) + unit.substr(400));
    const auto found = search();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->first.margin, k_nothing_left_out);
    EXPECT_EQ(found->first.near_equal, 0u);
    EXPECT_GT(found->second.margin, 0);
    EXPECT_EQ(found->second.margin, insert_penalty(k_model, 550, 1) - insert_penalty(k_model, 400, 1));
    EXPECT_EQ(found->second.near_equal, 1u);
}

TEST_F(PairSearchTest, too_many_copies_and_gaps_give_no_answer) {
    EXPECT_FALSE(search(true));
    EXPECT_TRUE(search());
    for (int i = 0; i < 1'023; ++i) sequence += unit;
    EXPECT_TRUE(search());
    sequence += unit;
    EXPECT_FALSE(search());
}

}  // namespace
}  // namespace gannet::align
