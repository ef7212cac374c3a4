// SPDX-License-Identifier: MIT
// Provides tests of what is concluded of a read's seeds, of the check of the input of find_candidates, and of
// the packing of reads.
#include "kernels/find_candidates/find_candidates.hpp"
#include "kernels/host_stream.hpp"
#include "kernels/reads/packed_reads.hpp"
#include "kernels/seeds/seeds_lockstep.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gannet::kernels {
namespace {

constexpr uint32_t k_kmer = 21;
constexpr uint32_t k_length = 100;

using Parts = std::vector<std::pair<int, int>>;

/// Two seeds of a read of 100 bases, of which the second is narrowed.
class DistinctParts : public testing::Test {
  protected:
    DistinctParts() {
        entries.resize(3);
        state.syncmers = {{1, 10, 0}, {2, 40, 0}};
        state.runs = {std::span(entries).first(1), std::span(entries).first(2)};
        state.left_out_bp = {k_none_left_out, 12};
    }
    Parts parts() {
        std::vector<DistinctPart> found;
        narrowed = add_distinct_parts(state, 0, 2, k_length, k_kmer, hits, long_left_out, found);
        Parts out;
        for (const DistinctPart part : found) out.emplace_back(part.begin, part.end);
        return out;
    }
    LockstepScratch state;
    size_t hits = 3;
    bool long_left_out = false;
    bool narrowed = false;
    std::vector<SeedEntry> entries;
};

TEST_F(DistinctParts, are_the_kmer_and_the_bases_that_no_entry_left_out_shares) {
    // 12 bases behind the k-mer are shared, so that the 13th differs: 40 + 21 + 13.
    EXPECT_EQ(parts(), (Parts{{10, 31}, {40, 74}}));
    EXPECT_TRUE(narrowed);
}

TEST_F(DistinctParts, lie_in_front_of_a_kmer_whose_canonical_form_is_reverse) {
    state.syncmers[1].reverse = 1;
    EXPECT_EQ(parts(), (Parts{{10, 31}, {27, 61}}));
}

TEST_F(DistinctParts, of_a_seed_end_with_the_read) {
    state.left_out_bp[1] = 38;
    EXPECT_EQ(parts(), (Parts{{10, 31}, {40, 100}}));
    state.left_out_bp[1] = 39;  // an entry that was left out agrees to the end
    EXPECT_EQ(parts(), (Parts{{10, 31}}));
}

TEST_F(DistinctParts, count_where_long_seeds_are_left_out_without_enough_others) {
    state.left_out_bp[1] = k_all_left_out;
    EXPECT_EQ(parts(), Parts{});
    EXPECT_FALSE(narrowed);
    long_left_out = true;
    EXPECT_EQ(parts(), (Parts{{10, 31}}));
    EXPECT_TRUE(narrowed);
}

TEST_F(DistinctParts, need_entries_and_a_look_up) {
    state.runs[0] = {};
    EXPECT_EQ(parts(), (Parts{{40, 74}}));
    state.left_out_bp[0] = k_all_left_out;
    state.runs[0] = std::span(entries).first(1);
    EXPECT_EQ(parts(), (Parts{{40, 74}}));
}

TEST_F(DistinctParts, are_not_needed_where_nothing_was_left_out) {
    state.left_out_bp[1] = k_none_left_out;
    EXPECT_EQ(parts(), Parts{});
    EXPECT_FALSE(narrowed);
    // But for many hits, of which not all diagonals may be compared.
    hits = k_max_diagonals + 1;
    EXPECT_EQ(parts(), (Parts{{10, 31}, {40, 61}}));
}

TEST(PackedReads, hold_both_strands_and_masks_of_ambiguous_reads_only) {
    PackedReads reads;
    for (const uint32_t length : {0u, 1u, 31u, 32u, 33u, 64u, 150u}) {
        for (const uint32_t ambiguous : {length, length / 2}) {
            std::vector<uint8_t> codes(length);
            for (uint32_t i = 0; i < length; ++i)
                codes[i] = i == ambiguous ? uint8_t{4} : static_cast<uint8_t>(i * i % 7 % 4);
            reads.clear();
            reads.add(codes);
            const ReadBatchView view = reads.view();
            ASSERT_EQ(view.length[0], length);
            EXPECT_EQ(view.is_ambiguous(0), ambiguous < length);
            const auto base = [](const uint64_t* words, uint32_t i) {
                return words[i / 32] >> 2 * (i % 32) & 3;
            };
            for (uint32_t i = 0; i < length; ++i) {
                const uint64_t code = codes[i] & 3u;
                EXPECT_EQ(base(view.words(0, 0), i), code);
                EXPECT_EQ(base(view.words(0, 1), length - 1 - i), 3 - code);
                if (!view.is_ambiguous(0)) continue;
                EXPECT_EQ(base(view.mask_words(0, 0), i), i == ambiguous ? 1u : 0u);
                EXPECT_EQ(base(view.mask_words(0, 1), length - 1 - i), i == ambiguous ? 1u : 0u);
            }
            // Behind the last base there is nothing, in the spare word neither.
            for (uint32_t i = length; i < 32 * strand_words(length); ++i) {
                EXPECT_EQ(base(view.words(0, 0), i), 0u);
                EXPECT_EQ(base(view.words(0, 1), i), 0u);
            }
        }
    }
}

/// Unique seeds of 21 bases at `positions`, all on one diagonal but for the last, which is `shift` from it.
bool settles(const std::vector<uint32_t>& positions, uint32_t length, int64_t shift = 0,
             bool reverse = false) {
    UniquePlace place;
    for (const uint32_t position : positions) {
        const bool last = position == positions.back();
        place.add(hit_key(last && reverse, 5000 + (last ? shift : 0), position), position, k_kmer);
    }
    return place.settles(length);
}

TEST(UniquePlace, takes_three_unique_seeds) {
    EXPECT_TRUE(settles({10, 40, 70}, 120));
    EXPECT_TRUE(settles({10, 40, 70, 100}, 150));
    EXPECT_FALSE(settles({10, 40}, 90));
    EXPECT_FALSE(settles({}, 20));
}

TEST(UniquePlace, is_one_within_100_bases_on_one_strand) {
    EXPECT_TRUE(settles({10, 40, 70}, 120, 100));
    EXPECT_TRUE(settles({10, 40, 70}, 120, -100));
    EXPECT_FALSE(settles({10, 40, 70}, 120, 101));
    EXPECT_FALSE(settles({10, 40, 70}, 120, -101));
    EXPECT_FALSE(settles({10, 40, 70}, 120, 0, true));
}

TEST(UniquePlace, leaves_at_most_50_bases_at_either_end) {
    EXPECT_TRUE(settles({50, 80, 110}, 181));
    EXPECT_FALSE(settles({51, 80, 110}, 181));
    EXPECT_FALSE(settles({50, 80, 110}, 182));
}

TEST(FindCandidates, what_is_out_of_range_is_refused_by_every_backend_of_the_host) {
    HostStream stream;
    FoundCandidates out;
    const GenomeView genome;
    PackedReads none;
    for (const Backend backend : {Backend::reference, Backend::simd, Backend::emulated}) {
        const auto expect_refused = [&](uint32_t k, uint32_t s, const CandidateParameters& parameters) {
            SeedIndexView index;
            index.kmer = k;
            index.smer = s;
            EXPECT_THROW(find_candidates_function(backend, SimdLevel::none)(stream, parameters, index, genome,
                                                                            none.view(), out),
                         std::invalid_argument)
                << k << " " << s << " " << parameters.kmer << " " << parameters.band;
        };
        for (const auto& [k, s] : {std::pair{20u, 11u}, {33u, 16u}, {21u, 7u}, {31u, 12u}, {15u, 10u}}) {
            CandidateParameters parameters;
            parameters.kmer = k;
            expect_refused(k, s, parameters);
        }
        CandidateParameters parameters;
        parameters.kmer = 19;
        expect_refused(21, 11, parameters);  // not that of the index
        parameters.kmer = 21;
        parameters.band = 0;
        expect_refused(21, 11, parameters);
    }
}

}  // namespace
}  // namespace gannet::kernels
