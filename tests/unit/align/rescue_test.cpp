// SPDX-License-Identifier: MIT
// Provides tests of mate rescue: where it looks, what it finds, and when it does not look.
#include "align/pairing/rescue.hpp"

#include "align/pack_reads.hpp"
#include "align/ungapped.hpp"
#include "kernels/host_stream.hpp"
#include "tests/unit/align/candidates.hpp"
#include "tests/unit/align/genome.hpp"

#include <gtest/gtest.h>

namespace gannet::align {
namespace {

using tests::candidate;
using tests::Genome;
using tests::make_batch;
using tests::other_base;
using tests::Random;
using tests::reverse_complement;

constexpr InsertSizeModel k_model{true, 400, 50, 200, 600};
constexpr size_t k_length = 100;

/// Random bases, with two copies of 100 bases each 150 bp behind the places 14,000, 15,000, ... and so many
/// bp from each other.
constexpr int64_t k_shifts[]{100, 127, 128, 129, 255};
std::string bases_with_copies(Random& random) {
    std::string bases = random.bases(20'000);
    size_t at = 14'150;
    for (const int64_t shift : k_shifts) {
        bases.replace(at + static_cast<size_t>(shift), k_length, bases.substr(at, k_length));
        at += 1'000;
    }
    return bases;
}

class RescueTest : public testing::Test {
  protected:
    /// Rescues what one of the two reads lacks. The candidates of a read are given by their diagonals in the
    /// contig and have a score of 100, less `step` from one to the next.
    std::vector<Candidate> rescue(const std::vector<std::string>& reads, uint8_t strand,
                                  const std::vector<int64_t>& first, const std::vector<int64_t>& second,
                                  int32_t step = 0) {
        const data::ReadBatch batch = make_batch(reads, true);
        AlignmentWork work;
        AlignmentWork::State& state = *work.state;
        pack_reads(batch, state);
        for (size_t read = 0; read < 2; ++read) {
            state.reads[read].candidate_begin = static_cast<uint32_t>(state.candidates.size());
            const auto own_strand = static_cast<uint8_t>(read == 0 ? strand : 1 - strand);
            int32_t score = 100;
            for (const int64_t diagonal : read == 0 ? first : second) {
                state.candidates.push_back(candidate(offset + diagonal, own_strand, score, 0, k_length));
                score -= step;
            }
            state.reads[read].candidate_end = static_cast<uint32_t>(state.candidates.size());
        }
        state.reads[1].complete_seeds = complete_seeds;
        list_windows(parameters, k_model, 0, 2, state);
        kernels::HostStream stream;
        const auto op = kernels::rescue_function(kernels::Backend::simd, kernels::detected_simd_level());
        op(stream, candidate_parameters(parameters, 21), tables.genome, read_batch_view(batch, state),
           {state.windows.data(), state.windows.size()}, state.rescued);
        EXPECT_EQ(state.rescued.window.size(), state.rescued.candidates.size());
        for (const uint32_t window : state.rescued.window)
            EXPECT_EQ(state.windows[window].read, first.empty() ? 0u : 1u);
        return state.rescued.candidates;
    }
    std::string part(int64_t begin) const {
        return genome.contigs[0].second.substr(static_cast<size_t>(begin), k_length);
    }
    /// A mate that makes an insert of `insert_bp` with a forward read at 5,000.
    std::vector<Candidate> rescue_insert(int64_t insert_bp) {
        return rescue({part(5'000), reverse_complement(part(5'000 + insert_bp - 100))}, 0, {5'000}, {});
    }

    AlignerParameters parameters;
    uint32_t complete_seeds = 0;  ///< of the second read
    Random random{41};
    Genome genome{{{"c", bases_with_copies(random)}}};
    AlignerTables tables{*genome.reference};
    int64_t offset = static_cast<int64_t>(genome.reference->contigs()[0].offset);
};

TEST_F(RescueTest, a_mate_is_found_downstream_of_a_forward_read_and_upstream_of_a_reverse_one) {
    const auto downstream = rescue({part(5'000), reverse_complement(part(5'300))}, 0, {5'000}, {});
    ASSERT_EQ(downstream.size(), 1u);
    EXPECT_EQ(downstream[0].diagonal, offset + 5'300);
    EXPECT_EQ(downstream[0].strand, 1);
    EXPECT_EQ(downstream[0].score, 100);
    const auto upstream = rescue({reverse_complement(part(5'300)), part(5'000)}, 1, {5'300}, {});
    ASSERT_EQ(upstream.size(), 1u);
    EXPECT_EQ(upstream[0].diagonal, offset + 5'000);
    EXPECT_EQ(upstream[0].strand, 0);
    // And the first read, of the second.
    const auto first = rescue({part(5'000), reverse_complement(part(5'300))}, 0, {}, {5'300});
    ASSERT_EQ(first.size(), 1u);
    EXPECT_EQ(first[0].diagonal, offset + 5'000);
}

TEST_F(RescueTest, the_window_is_that_of_proper_inserts) {
    for (const int64_t insert_bp : {200, 600}) EXPECT_EQ(rescue_insert(insert_bp).size(), 1u) << insert_bp;
    for (const int64_t insert_bp : {199, 601}) EXPECT_EQ(rescue_insert(insert_bp).size(), 0u) << insert_bp;
}

TEST_F(RescueTest, a_read_with_a_candidate_in_the_window_is_not_searched) {
    const std::vector<std::string> reads{part(5'000), reverse_complement(part(5'300))};
    EXPECT_EQ(rescue(reads, 0, {5'000}, {5'310}).size(), 0u);
    // A candidate elsewhere does not count: then each of the two is searched beside the other.
    EXPECT_EQ(rescue(reads, 0, {5'000}, {9'000}).size(), 1u);
}

TEST_F(RescueTest, one_block_of_six_mismatches_suffices_and_seven_in_each_do_not) {
    // Oriented bases 0-31, 32-63 and 64-95 are the blocks; the mate is given reverse-complemented.
    std::string mate = part(5'300);
    for (size_t i = 0; i < 96; ++i) {
        if (i % 32 < 28 && i % 4 == 0) mate[i] = other_base(mate[i]);  // 0, 4, ..., 24: seven per block
    }
    EXPECT_EQ(rescue({part(5'000), reverse_complement(mate)}, 0, {5'000}, {}).size(), 0u);
    mate[32] = part(5'300)[32];
    const auto found = rescue({part(5'000), reverse_complement(mate)}, 0, {5'000}, {});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].diagonal, offset + 5'300);
}

TEST_F(RescueTest, the_six_best_candidates_within_the_unpaired_penalty_are_looked_beside) {
    const std::vector<std::string> reads{part(5'000), reverse_complement(part(5'300))};
    const std::vector<int64_t> elsewhere{8'000, 9'000, 10'000, 11'000, 12'000, 13'000};
    std::vector<int64_t> sixth(elsewhere.begin(), elsewhere.begin() + 5);
    sixth.push_back(5'000);
    EXPECT_EQ(rescue(reads, 0, sixth, {}).size(), 1u);
    std::vector<int64_t> seventh = elsewhere;
    seventh.push_back(5'000);
    EXPECT_EQ(rescue(reads, 0, seventh, {}).size(), 0u);
    // 17 below the best, and 18.
    EXPECT_EQ(rescue(reads, 0, {8'000, 5'000}, {}, 17).size(), 1u);
    EXPECT_EQ(rescue(reads, 0, {8'000, 5'000}, {}, 18).size(), 0u);
}

TEST_F(RescueTest, there_is_none_where_the_complete_seeds_tell_that_it_could_not_count) {
    const std::vector<std::string> reads{part(5'000), reverse_complement(part(5'300))};
    const auto found = [&] { return rescue(reads, 0, {5'000}, {15'000}).size(); };
    // Elsewhere the second read scores 100; beside the first at most 100 less 5 for each seed, with 17 more
    // for being proper.
    complete_seeds = 3;
    EXPECT_EQ(found(), 1u);
    complete_seeds = 4;
    EXPECT_EQ(found(), 0u);
    // A gap of one base may lose less than a mismatch.
    parameters.scoring.gap_open = 3;  // 4
    EXPECT_EQ(found(), 1u);
    complete_seeds = 5;
    EXPECT_EQ(found(), 0u);
    parameters.scoring.gap_open = 6;
    parameters.scoring.mismatch = 2;  // 3
    EXPECT_EQ(found(), 1u);
    complete_seeds = 6;
    EXPECT_EQ(found(), 0u);
}

/// The diagonal that a search base by base finds for a reverse mate (oriented `mate`) of a forward read at
/// `anchor`; -1 if none. Positions in the contig.
int64_t found_slowly(const std::string& contig, const std::string& mate, int64_t anchor) {
    const auto length = static_cast<int64_t>(mate.size());
    int64_t found = -1;
    size_t most = 0;
    for (int64_t at = anchor + k_model.low_bp - length; at <= anchor + k_model.high_bp - length; ++at) {
        size_t matches = 0;
        for (size_t block = 0; block + 32 <= mate.size(); block += 32) {
            size_t differing = 0;
            for (size_t i = block; i < block + 32; ++i) {
                differing += contig[static_cast<size_t>(at) + i] != mate[i];
            }
            if (differing <= 6) matches += 32 - differing;
        }
        if (matches > most) {
            most = matches;
            found = at;
        }
    }
    return found;
}

TEST_F(RescueTest, what_is_found_equals_a_search_base_by_base) {
    size_t found_some = 0;
    for (int round = 0; round < 300; ++round) {
        // Bases of a window of the anchor, some of them twice, and each with up to a quarter changed.
        const auto anchor = static_cast<int64_t>(500 + random.below(18'000));
        const std::string& contig = genome.contigs[0].second;
        std::string mate;
        while (mate.size() < 32 + random.below(120)) {
            mate += contig.substr(static_cast<size_t>(anchor) + random.below(600), 20 + random.below(80));
        }
        const size_t one_in = 4 + random.below(12);
        for (char& base : mate) {
            if (random.below(one_in) == 0) base = other_base(base);
        }
        const auto rescued = rescue({part(anchor), reverse_complement(mate)}, 0, {anchor}, {});
        const int64_t expected = found_slowly(contig, mate, anchor);
        ASSERT_EQ(rescued.size(), expected < 0 ? 0u : 1u) << round;
        if (expected < 0) continue;
        ASSERT_EQ(rescued[0].diagonal, offset + expected) << round;
        ++found_some;
    }
    EXPECT_GT(found_some, 100u);
}

TEST_F(RescueTest, of_equal_diagonals_the_lowest_is_found_and_a_better_one_anywhere) {
    int64_t anchor = 14'000;
    for (const int64_t shift : k_shifts) {
        const std::string& contig = genome.contigs[0].second;
        const std::string copy = part(anchor + 150);
        ASSERT_EQ(part(anchor + 150 + shift), copy);
        const auto found = [&](std::string mate) {
            const auto rescued = rescue({part(anchor), reverse_complement(mate)}, 0, {anchor}, {});
            EXPECT_EQ(rescued.size(), 1u);
            const int64_t at = rescued.empty() ? -1 : rescued[0].diagonal - offset;
            EXPECT_EQ(at, found_slowly(contig, mate, anchor));
            return at - anchor;
        };
        std::string changed = copy;
        changed[40] = other_base(changed[40]);
        EXPECT_EQ(found(copy), 150) << shift;
        EXPECT_EQ(found(changed), 150) << shift;
        // Ten bases before the first copy, which are not before the second; and the other way round.
        EXPECT_EQ(found(part(anchor + 140)), 140) << shift;
        EXPECT_EQ(found(part(anchor + 140 + shift)), 140 + shift) << shift;
        anchor += 1'000;
    }
}

TEST_F(RescueTest, reads_shorter_than_a_block_are_not_searched) {
    const std::string mate = part(5'300);
    EXPECT_EQ(rescue({part(5'000), reverse_complement(mate.substr(0, 32))}, 0, {5'000}, {}).size(), 1u);
    EXPECT_EQ(rescue({part(5'000), reverse_complement(mate.substr(0, 31))}, 0, {5'000}, {}).size(), 0u);
}

}  // namespace
}  // namespace gannet::align
