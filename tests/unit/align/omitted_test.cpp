// SPDX-License-Identifier: MIT
// Provides tests of what is concluded about positions that seeding left out.
#include "align/pack_reads.hpp"
#include "align/pairing/pair.hpp"
#include "kernels/pairing/pairing_cell.hpp"
#include "tests/unit/align/candidates.hpp"
#include "tests/unit/align/genome.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace gannet::align {
namespace {

using tests::candidate;
using tests::Genome;
using tests::make_batch;
using tests::other_base;
using tests::Random;
using tests::reverse_complement;

constexpr int32_t k_mismatch = 80;

/// A read of 150 bases of a random genome, and its alignment there.
class OmittedMargin : public testing::Test {
  protected:
    OmittedMargin() : text(genome.contigs[0].second.substr(1'000, 150)) {}
    int32_t margin(const std::string& sequence, uint8_t strand, std::initializer_list<DistinctPart> parts) {
        const data::ReadBatch batch = make_batch({sequence}, false);
        AlignmentWork work;
        AlignmentWork::State& state = *work.state;
        pack_reads(batch, state);
        state.parts = parts;
        ReadState& read = state.reads[0];
        read.narrowed = parts.size() > 0;
        read.part_end = static_cast<uint32_t>(parts.size());
        read.left_out.dropped_bp = dropped_bp;
        read.left_out.dropped_score = dropped_score;
        const auto offset = static_cast<int64_t>(genome.reference->contigs()[0].offset);
        Candidate chosen = candidate(offset + 1'000, strand, 150, 0, 150);
        if (alter) alter(chosen);
        const kernels::pairing::Given given{pairing_parameters(parameters, k_fallback_model, 21),
                                            tables.genome, read_batch_view(batch, state),
                                            pairing_batch(batch, state)};
        return kernels::pairing::left_out_margin(given, 0, chosen);
    }
    Random random{51};
    Genome genome{{{"c", random.bases(5'000)}}};
    AlignerTables tables{*genome.reference};
    AlignerParameters parameters;
    std::string text;
    std::function<void(Candidate&)> alter;
    uint32_t dropped_bp = 0;
    int32_t dropped_score = -1;
};

TEST_F(OmittedMargin, is_the_least_that_a_difference_loses_for_each_disjoint_part) {
    parameters.scoring.match = 2;
    parameters.scoring.mismatch = 5;
    EXPECT_EQ(margin(text, 0, {{10, 31}, {20, 41}, {31, 80}, {100, 140}}), 3 * 7 * 16);
    parameters.scoring.gap_open = 2;
    parameters.scoring.gap_extend = 3;  // a deletion of one base loses less
    EXPECT_EQ(margin(text, 0, {{10, 31}, {20, 41}, {31, 80}, {100, 140}}), 3 * 5 * 16);
}

TEST_F(OmittedMargin, is_a_mismatch_for_each_disjoint_part) {
    EXPECT_EQ(margin(text, 0, {}), kernels::k_nothing_left_out);
    EXPECT_EQ(margin(text, 0, {{10, 31}, {20, 41}, {31, 80}, {100, 140}}), 3 * k_mismatch);
    EXPECT_EQ(margin(reverse_complement(text), 1, {{10, 31}, {20, 41}, {31, 80}, {100, 140}}),
              3 * k_mismatch);
}

TEST_F(OmittedMargin, does_not_count_parts_in_which_the_alignment_itself_differs) {
    text[35] = other_base(text[35]);
    EXPECT_EQ(margin(text, 0, {{10, 31}, {20, 41}, {31, 80}, {100, 140}}), 2 * k_mismatch);
    // Reverse-complemented, that is base 114 of the read.
    EXPECT_EQ(margin(reverse_complement(text), 1, {{10, 31}, {20, 41}, {31, 80}, {100, 140}}),
              2 * k_mismatch);
}

TEST_F(OmittedMargin, counts_parts_beyond_a_gap_on_the_diagonal_of_that_end) {
    // Ten bases of the reference are deleted behind base 90 of the read: what follows is ten further on.
    const std::string deleted =
        genome.contigs[0].second.substr(1'000, 90) + genome.contigs[0].second.substr(1'100, 60);
    EXPECT_EQ(margin(deleted, 0, {{10, 31}, {31, 80}, {100, 140}}), 2 * k_mismatch);
    alter = [](Candidate& chosen) {
        chosen.right_gapped = true;
        chosen.target_end += 10;
    };
    EXPECT_EQ(margin(deleted, 0, {{10, 31}, {31, 80}, {100, 140}}), 3 * k_mismatch);
    EXPECT_EQ(margin(deleted, 0, {{10, 31}, {31, 80}, {80, 140}}), 2 * k_mismatch);  // the gap is in it
    // The same seen from the other end: the anchor is behind the gap.
    alter = [](Candidate& chosen) {
        chosen.diagonal += 10;
        chosen.left_gapped = true;
        chosen.target_end += 10;
    };
    EXPECT_EQ(margin(deleted, 0, {{10, 31}, {31, 80}, {100, 140}}), 3 * k_mismatch);
}

TEST_F(OmittedMargin, does_not_count_parts_that_are_clipped) {
    for (const bool front : {true, false}) {
        alter = [front](Candidate& chosen) {
            if (front)
                chosen.target_begin += chosen.query_begin = 11;
            else
                chosen.target_end -= 150 - (chosen.query_end = 139);
        };
        EXPECT_EQ(margin(text, 0, {{10, 31}, {31, 80}, {100, 140}}), 2 * k_mismatch);
        EXPECT_EQ(margin(text, 0, {{11, 31}, {31, 80}, {100, 139}}), 3 * k_mismatch);
    }
}

TEST_F(OmittedMargin, is_lower_for_diagonals_that_were_not_compared) {
    dropped_bp = 41;  // within one k-mer and a part of a second
    EXPECT_EQ(margin(text, 0, {{10, 31}, {31, 80}, {100, 140}}), 2 * k_mismatch);
    dropped_bp = 42;
    EXPECT_EQ(margin(text, 0, {{10, 31}, {31, 80}, {100, 140}}), k_mismatch);
    dropped_bp = 150;
    EXPECT_EQ(margin(text, 0, {{10, 31}, {31, 80}, {100, 140}}), 0);
}

TEST_F(OmittedMargin, is_that_over_the_best_candidate_that_was_not_kept) {
    dropped_score = 147;
    EXPECT_EQ(margin(text, 0, {}), 3 * 16);
    EXPECT_EQ(margin(text, 0, {{10, 31}, {31, 80}, {100, 140}}), 3 * 16);
    dropped_score = 100;
    EXPECT_EQ(margin(text, 0, {{10, 31}, {31, 80}, {100, 140}}), 3 * k_mismatch);
}

}  // namespace
}  // namespace gannet::align
