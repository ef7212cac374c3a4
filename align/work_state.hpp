// SPDX-License-Identifier: MIT
// Provides the state of one batch between the aligner's steps: reads, candidates, chosen alignments.
#pragma once

#include "align/index/index.hpp"
#include "align/work.hpp"
#include "kernels/candidates/candidates_words.hpp"
#include "kernels/seeds/syncmers.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace gannet::align {

inline constexpr uint32_t k_none = std::numeric_limits<uint32_t>::max();

using kernels::Candidate;
using kernels::Diagonal;
using kernels::k_max_candidates;
using kernels::k_mismatch_loss;
using kernels::k_score_unit;

using kernels::DistinctPart;
using kernels::Syncmer;
using kernels::SyncmerScratch;

/// "Oriented" means in the direction of the reference's forward strand: the read itself, or its reverse
/// complement. Packed words of a read in the batch's arena: forward, then reverse complement, each one word
/// longer than needed (word_at reads one ahead). Ambiguous bases are packed as A.
struct ReadState {
    uint32_t length = 0;
    uint32_t words = 0;   ///< of one strand, the spare one included
    uint64_t packed = 0;  ///< index in AlignmentWork::State::packed
    bool has_n = false;
    uint64_t mask = 0;  ///< where it has: index in AlignmentWork::State::mask, of as many words
    /// Disjoint seeds all of whose entries became hits. Wherever the read has no hit, it differs in each of
    /// them.
    uint32_t complete_seeds = 0;
    uint32_t candidate_begin = 0;
    uint32_t candidate_end = 0;
    bool narrowed = false;    ///< seeds left entries out: its parts limit how well those can match
    uint32_t part_begin = 0;  ///< in AlignmentWork::State::parts, ordered by end
    uint32_t part_end = 0;
    kernels::CandidatesLeftOut left_out;  ///< of its candidates
};

inline constexpr int32_t k_none_left_out = -1;
inline constexpr int32_t k_all_left_out = std::numeric_limits<int32_t>::max();

/// The seeds of a read some of which have many entries: those whose context is to the right are narrowed from
/// left to right, the others from right to left.
struct RepeatSeeds {
    uint32_t read = 0;
    uint32_t begin = 0;  ///< in AlignmentWork::State::syncmers
    uint32_t end = 0;
    uint32_t next = 0;          ///< of those to the right
    uint32_t next_back = 0;     ///< of those to the left, one beyond
    uint32_t matched_to = 0;    ///< end of what the last one to the right matched, in the read as sequenced
    uint32_t matched_from = 0;  ///< begin of what the last one to the left matched
};

/// A candidate whose alignment is needed in full, with its jobs of the traceback round.
struct Traced {
    uint32_t candidate = 0;
    uint32_t left_job = k_none;
    uint32_t right_job = k_none;
};

/// An alignment that becomes a record.
struct Chosen : Traced {
    int32_t sub_score = 0;        ///< best score of another candidate for the same part of the read
    int32_t alternate_score = 0;  ///< of the best ALT candidate for the same part, if it is better; else 0
    uint32_t other_begin = 0;     ///< its other hits, in state.other_hits
    uint32_t other_end = 0;
    uint8_t mapping_quality = 0;
    bool supplementary = false;
};

/// The alignments of one read: chosen[begin], the primary, and supplementaries after it; none if unmapped.
struct ChosenRange {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool proper = false;
};

struct AlignmentWork::State {
    std::vector<uint64_t> packed;
    std::vector<uint64_t> mask;  ///< as `packed`, of the reads with ambiguous bases: the low bits of these
    std::vector<ReadState> reads;
    /// Those of a read are adjacent: on the primary assembly, then on ALT contigs, each best score first.
    std::vector<Candidate> candidates;
    bool extensions_taken = false;   ///< the results of the extension round are in the candidates
    std::vector<Candidate> rescued;  ///< found near a mate, merged into `candidates` after their round
    std::vector<uint32_t> rescued_read;
    std::vector<Chosen> chosen;
    std::vector<Traced> other_hits;   ///< what records list in the tag XA
    std::vector<ChosenRange> ranges;  ///< one per read
    std::vector<DistinctPart> parts;

    // Scratch of single steps.
    SyncmerScratch syncmer;
    std::vector<Syncmer> syncmers;
    std::vector<uint32_t> syncmer_begin;
    std::vector<std::span<const IndexEntry>> runs;  ///< of each of `syncmers`: its entries that are used
    std::vector<Narrowing> narrowings;
    struct Narrowed {
        uint32_t seed;    ///< in `syncmers`
        uint32_t repeat;  ///< in `repeats`
    };
    std::vector<Narrowed> narrowed;  ///< of each narrowing
    /// Of each of `syncmers`: how many bases after the k-mer the best entry that was left out shares with the
    /// read; or k_none_left_out, k_all_left_out.
    std::vector<int32_t> left_out_bp;
    std::vector<RepeatSeeds> repeats;
    std::vector<Narrowing> widened;      ///< narrowings that keep more, for the primary assembly
    std::vector<uint32_t> widened_from;  ///< of each of these: its index in `narrowings`
    /// Entries that are used beside those of `runs`, each with its seed; in the order of seeds.
    std::vector<std::pair<uint32_t, IndexEntry>> primary_entries;
    std::vector<uint64_t> hits;
    kernels::SeedHits all_hits;  ///< of the batch, where ops make and take them
    kernels::CandidateResults found;
    struct ReadArrays {
        std::vector<uint32_t> length;
        std::vector<uint64_t> packed_begin;
        std::vector<uint64_t> mask_begin;
    };
    ReadArrays read_arrays;           ///< what read_batch_view() refers to
    std::vector<Diagonal> diagonals;  ///< of a block of reads
    std::vector<uint32_t> diagonal_begin;
    std::vector<uint8_t> query;
    std::vector<uint8_t> target;
    kernels::candidates::CandidateFinder::Scratch finder;
    std::vector<uint64_t> planes;  ///< of the window that a mate is searched in
    std::vector<uint64_t> placements;
    std::vector<std::pair<uint64_t, uint64_t>> placed_pairs;
};

}  // namespace gannet::align
