// SPDX-License-Identifier: MIT
// Provides tests of what is kept of candidates that run along the same stretch of the reference, and of
// diagonals that a complete match makes pruned.
#include "kernels/candidates/candidate_list.hpp"

#include "align/pack_reads.hpp"
#include "align/ungapped.hpp"
#include "kernels/candidates/candidates_words.hpp"
#include "tests/unit/align/candidates.hpp"
#include "tests/unit/align/genome.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace gannet::align {
namespace {

using kernels::candidates::drop_redundant;
using tests::candidate;

constexpr int64_t k_band = 100;

/// Diagonals and scores of what is left, in the order in which it is left.
std::vector<std::pair<int64_t, int32_t>> kept(std::vector<Candidate> candidates) {
    candidates.resize(drop_redundant(candidates, k_band, 5));
    std::vector<std::pair<int64_t, int32_t>> out;
    for (const Candidate& each : candidates) out.emplace_back(each.diagonal, each.score);
    return out;
}
using Kept = std::vector<std::pair<int64_t, int32_t>>;

TEST(DropRedundant, of_one_stretch_the_best_score_stays) {
    // An indel of 5: the read fits two diagonals, of which the second scores more.
    EXPECT_EQ(kept({candidate(1'000, 0, 90, 0, 100), candidate(1'005, 0, 95, 0, 100)}), (Kept{{1'005, 95}}));
    // Of equal scores the lower diagonal.
    EXPECT_EQ(kept({candidate(1'005, 0, 95, 0, 100), candidate(1'000, 0, 95, 0, 100)}), (Kept{{1'000, 95}}));
}

TEST(DropRedundant, other_strands_and_diagonals_beyond_the_band_stay) {
    EXPECT_EQ(kept({candidate(1'000, 0, 95, 0, 100), candidate(1'000, 1, 90, 0, 100)}),
              (Kept{{1'000, 95}, {1'000, 90}}));
    // Of 400 bases 300 and 299 are shared, at 100 and at 101 bp.
    EXPECT_EQ(kept({candidate(1'000, 0, 400, 0, 400), candidate(1'100, 0, 300, 0, 400)}),
              (Kept{{1'000, 400}}));
    EXPECT_EQ(kept({candidate(1'000, 0, 400, 0, 400), candidate(1'101, 0, 300, 0, 400)}),
              (Kept{{1'000, 400}, {1'101, 300}}));
}

TEST(DropRedundant, more_than_half_of_the_worse_one_has_to_be_shared) {
    // On one diagonal, read bases [0, 100) and [50, 150): 50 of 100 are shared; [49, 149): 51.
    EXPECT_EQ(kept({candidate(1'000, 0, 100, 0, 100), candidate(1'000, 0, 90, 50, 150)}).size(), 2u);
    EXPECT_EQ(kept({candidate(1'000, 0, 100, 0, 100), candidate(1'000, 0, 90, 49, 149)}).size(), 1u);
    // The same bases of the read on two diagonals: [1050, 1150) has 50 bases of [1000, 1100), [1049, 1149)
    // has 51.
    EXPECT_EQ(kept({candidate(1'000, 0, 100, 0, 100), candidate(1'050, 0, 80, 0, 100)}).size(), 2u);
    EXPECT_EQ(kept({candidate(1'000, 0, 100, 0, 100), candidate(1'049, 0, 80, 0, 100)}).size(), 1u);
    // The two halves of a split read, 60 bp apart in the reference: no base of the read is shared, though the
    // stretch of the reference is.
    EXPECT_EQ(kept({candidate(1'000, 0, 75, 0, 75), candidate(940, 0, 70, 80, 150)}).size(), 2u);
}

TEST(DropRedundant, shifts_by_a_unit_of_a_tandem_repeat_stay_where_they_score_about_the_same) {
    // Of 150 bases 125 are shared. Three mismatches less are too many, and shifts of 24 bp too few.
    EXPECT_EQ(kept({candidate(1'000, 0, 150, 0, 150), candidate(1'025, 0, 136, 0, 150)}),
              (Kept{{1'000, 150}, {1'025, 136}}));
    EXPECT_EQ(kept({candidate(1'000, 0, 150, 0, 150), candidate(1'025, 0, 135, 0, 150)}),
              (Kept{{1'000, 150}}));
    EXPECT_EQ(kept({candidate(1'000, 0, 150, 0, 150), candidate(1'024, 0, 150, 0, 150)}),
              (Kept{{1'000, 150}}));
    // A deletion of 30: one end is on the same diagonal, so that it is another alignment of the same bases.
    Candidate gapped = candidate(1'000, 0, 140, 0, 150);
    gapped.target_end += 30;
    EXPECT_EQ(kept({candidate(1'000, 0, 150, 0, 150), gapped}), (Kept{{1'000, 150}}));
}

TEST(DropRedundant, a_dropped_candidate_drops_no_other) {
    // 0 and 60 are within the band of each other, and so are 60 and 120, but not 0 and 120.
    EXPECT_EQ(
        kept({candidate(60, 0, 300, 0, 400), candidate(120, 0, 200, 0, 400), candidate(0, 0, 400, 0, 400)}),
        (Kept{{0, 400}, {120, 200}}));
}

TEST(DropRedundant, the_rest_is_sorted_by_score_then_strand_then_diagonal) {
    EXPECT_EQ(kept({candidate(5'000, 1, 80, 0, 100), candidate(9'000, 0, 80, 0, 100),
                    candidate(3'000, 0, 80, 0, 100), candidate(7'000, 1, 90, 0, 100)}),
              (Kept{{7'000, 90}, {3'000, 80}, {9'000, 80}, {5'000, 80}}));
    EXPECT_EQ(kept({}), Kept{});
}

/// A unit of 150 bases and 60 copies of it in random sequence, each with more changed bases than the last.
class PrunedDiagonals : public testing::Test {
  protected:
    static constexpr int64_t k_step = 1'000;
    static constexpr uint32_t k_length = 150;

    PrunedDiagonals() : unit(random.bases(k_length)) {
        for (size_t copy = 0; copy < 60; ++copy) {
            std::string changed = unit;
            for (size_t i = 0; i < 2 * copy; ++i) changed[random.below(k_length)] = "ACGT"[random.below(4)];
            sequence += random.bases(k_step - k_length) + changed;
        }
        sequence += random.bases(k_step);
    }
    /// What is found of `read` on the diagonals of all copies. `best`: read bases that the seeds of the first
    /// one cover, `last` of the last one; of the second one they cover 41, of the others 21.
    ReadState find(const std::string& read, uint32_t best, uint32_t last = 21) {
        const Genome genome({{"c", sequence}});
        const AlignerTables tables(*genome.reference);
        const data::ReadBatch batch = tests::make_batch({read}, false);
        AlignmentWork work;
        AlignmentWork::State& state = *work.state;
        pack_reads(batch, state);
        const auto offset = static_cast<int64_t>(genome.reference->contigs()[0].offset);
        const AlignerParameters parameters;
        const kernels::ReadBatchView reads = read_batch_view(batch, state);
        const Ungapped ungapped(tables, parameters, reads);
        std::vector<kernels::Diagonal> diagonals;
        alone.clear();
        for (int64_t copy = 0; copy < 60; ++copy) {
            Candidate candidate;
            candidate.diagonal = offset + (copy + 1) * k_step - k_length;
            const uint32_t seeds = copy == 0 ? best : copy == 1 ? 41 : copy == 59 ? last : 21;
            diagonals.push_back({kernels::hit_key(false, candidate.diagonal, 0) >> 16, seeds});
            ungapped.compare(0, candidate);
            alone.push_back(candidate.score);
        }
        // Not in the order of their scores.
        std::reverse(diagonals.begin(), diagonals.end());
        kernels::candidates::CandidateFinder::Scratch scratch;
        const kernels::CandidateParameters given = candidate_parameters(parameters, 21);
        const kernels::candidates::CandidateFinder finder(tables.genome, given, scratch);
        finder.add_candidates(kernels::candidates::single_read(reads, 0), diagonals, state.candidates,
                              state.reads[0].left_out);
        scores.clear();
        for (const Candidate& candidate : state.candidates) scores.push_back(candidate.score);
        return state.reads[0];
    }
    using Genome = tests::Genome;

    tests::Random random{81};
    std::string unit;
    std::string sequence;
    std::vector<int32_t> alone;   ///< the score of each copy, compared by itself
    std::vector<int32_t> scores;  ///< of the candidates
};

TEST_F(PrunedDiagonals, are_no_candidates_but_their_best_score_is_known) {
    const ReadState read = find(unit, 130);
    std::vector<int32_t> expected;
    int32_t pruned = 0;
    for (const int32_t score : alone) {
        if (score >= 100)
            expected.push_back(score);
        else
            pruned = std::max(pruned, score);
    }
    std::sort(expected.rbegin(), expected.rend());
    EXPECT_GT(expected.size(), 3u);
    EXPECT_EQ(scores, expected);
    EXPECT_GT(pruned, 60);
    EXPECT_EQ(read.left_out.pruned_score, pruned);
    EXPECT_EQ(read.left_out.truncated, 1u);  // more than 48 with the pruned ones
}

TEST_F(PrunedDiagonals, need_less_than_half_of_the_best_seeds) {
    EXPECT_GE(find(unit, 42).left_out.pruned_score, 0);
    EXPECT_EQ(scores.size(), k_max_candidates);  // 21 of 42 is half
    EXPECT_EQ(find(unit, 42).left_out.truncated, 1u);
    find(unit, 43);
    EXPECT_LT(scores.size(), k_max_candidates);
}

TEST_F(PrunedDiagonals, of_equally_covered_diagonals_the_lowest_is_compared_first) {
    // The last copy comes first in the list. It does not match the complete read, and would settle nothing.
    const ReadState read = find(unit, 130, 130);
    EXPECT_GT(read.left_out.pruned_score, 60);
    EXPECT_LT(scores.size(), k_max_candidates);
}

TEST_F(PrunedDiagonals, need_a_complete_match_that_no_gap_can_improve) {
    // The last 40 bases are of another place, so that a part of the read is left for other candidates.
    const ReadState read = find(unit.substr(0, 110) + random.bases(40), 100);
    EXPECT_EQ(read.left_out.pruned_score, 0);
    EXPECT_EQ(scores.size(), k_max_candidates);
}

}  // namespace
}  // namespace gannet::align
