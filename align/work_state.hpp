// SPDX-License-Identifier: MIT
// Provides the state of one batch between the aligner's steps: reads, candidates, chosen alignments.
#pragma once

#include "align/index/index.hpp"
#include "align/work.hpp"
#include "kernels/find_candidates/find_candidates.hpp"
#include "kernels/pairing/pairing.hpp"
#include "kernels/rescue/rescue.hpp"
#include "kernels/seeds/syncmers.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace gannet::align {

inline constexpr uint32_t k_none = std::numeric_limits<uint32_t>::max();

using kernels::Candidate;
using kernels::k_max_candidates;
using kernels::k_score_unit;

using kernels::DistinctPart;
using kernels::Syncmer;
using kernels::SyncmerScratch;

/// "Oriented" means in the direction of the reference's forward strand: the read itself, or its reverse
/// complement. Packed words of a read in the batch's arena: forward, then reverse complement, each one word
/// longer than needed (word_at reads one ahead). Ambiguous bases are packed as A.
struct ReadState : kernels::PairingRead {
    uint32_t words = 0;   ///< of one strand, the spare one included
    uint64_t packed = 0;  ///< index in AlignmentWork::State::packed
    bool has_n = false;
    uint64_t mask = 0;  ///< where it has: index in AlignmentWork::State::mask, of as many words
    /// Disjoint seeds all of whose entries became hits. Wherever the read has no hit, it differs in each of
    /// them.
    uint32_t complete_seeds = 0;
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
    bool extensions_taken = false;               ///< the results of the extension round are in the candidates
    std::vector<kernels::RescueWindow> windows;  ///< in which reads are searched near their mates
    kernels::RescueResults rescued;              ///< found there, merged into `candidates` after their round
    std::vector<Chosen> chosen;
    std::vector<Traced> other_hits;                   ///< what records list in the tag XA
    std::vector<ChosenRange> ranges;                  ///< one per read
    std::vector<kernels::PairingRead> pairing_reads;  ///< as they were when pairs were chosen
    std::vector<kernels::PlacedRead> placed;          ///< of the op pairing
    std::vector<DistinctPart> parts;

    // Scratch of single steps.
    SyncmerScratch syncmer;
    std::vector<Syncmer> syncmers;   ///< of a read whose pairs are searched
    kernels::FoundCandidates found;  ///< of the batch, until the aligner has taken them
    struct ReadArrays {
        std::vector<uint32_t> length;
        std::vector<uint64_t> packed_begin;
        std::vector<uint64_t> mask_begin;
    };
    ReadArrays read_arrays;  ///< what read_batch_view() refers to
    /// What ops were called with: it stays as it is until a stream has done its work.
    struct OpInputs {
        kernels::SeedIndexView index;
        kernels::ReadBatchView reads;
        kernels::CandidateParameters parameters;
        kernels::BandedSwWindows windows;
        kernels::RescueWindows rescue;
        kernels::PairingParameters pairing;
        kernels::PairingBatch pairs;
        kernels::BandedSwBatch copied;  ///< of a device that does not hold the genome
    };
    OpInputs op_inputs;
    bool traced = false;  ///< the jobs of the round are those of the traceback
    std::vector<uint64_t> placements;
    std::vector<std::pair<uint64_t, uint64_t>> placed_pairs;
};

}  // namespace gannet::align
