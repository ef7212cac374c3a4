// SPDX-License-Identifier: MIT
// Provides the terms of the op pairing (pairing.hpp) to the aligner, which chooses supplementary alignments
// and searches for rivals with them: the same code as the op's, on the host.
#pragma once

#include "kernels/pairing/pairing.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace gannet::kernels::pairing_terms {

/// Step 1: a read's candidates, each part with the best score first.
struct CandidateParts {
    std::span<const Candidate> competing;  ///< that its alignment is chosen from, whatever their scores
    std::span<const Candidate> aside;      ///< on ALT contigs, beside competing ones on the primary assembly
    uint32_t begin = 0;                    ///< index of competing.front() in the candidates of the batch
};
/// `candidates`: of the batch; those of the read must be sorted (candidates/candidate_list.hpp).
CandidateParts candidate_parts(const PairingRead& read, std::span<const Candidate> candidates,
                               int32_t minimum_score);

/// Step 2: is `a` preferred to `b` where they are equal?
bool is_preferred(const PairingBatch& batch, uint32_t template_index, const Candidate& a, const Candidate& b);

/// Do two candidates of a read of `read_length` overlap?
bool overlaps(const Candidate& a, uint32_t read_length, const Candidate& b);

/// Step 4: the insert of two candidates that may be a pair, bp; 0 where they lie on one strand, on different
/// contigs, or more than k_max_insert_bp apart.
int32_t insert_size(const Candidate& a, uint32_t length_a, const Candidate& b, uint32_t length_b);
/// Step 4: what an insert costs where a match scores `match`, in 1 / k_score_unit.
int32_t insert_penalty(int32_t insert_bp, int32_t mean_bp, int32_t sd_bp, int32_t match);

/// Step 6: does a candidate match its read in this part? `words`: of the read on the candidate's strand.
bool matches_in_part(const GenomeView& genome, const uint64_t* words, uint32_t read_length,
                     const Candidate& candidate, DistinctPart part);

/// What a search of the index without the limits of seeding tells of one read of a pair.
struct SearchedRead {
    int32_t margin = 0;  ///< of the chosen pair over one with the read elsewhere, at least; 1 / k_score_unit
    uint32_t near_equal = 0;  ///< positions of the read in pairs within a mismatch of the chosen one
};
/// Both reads of a template that needs a search (step 7), once it is done: as the op has placed them, but
/// with the mapping quality that what was found gives.
std::array<PlacedRead, 2> placed_after_search(const PairingParameters& parameters, const GenomeView& genome,
                                              const ReadBatchView& reads, const PairingBatch& batch,
                                              uint32_t template_index, const SearchedRead& first,
                                              const SearchedRead& second);

}  // namespace gannet::kernels::pairing_terms
