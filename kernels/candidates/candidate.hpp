// SPDX-License-Identifier: MIT
// Provides a candidate alignment of a read, and what was left out beside it, as plain structs.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"

#include <cstddef>
#include <cstdint>

namespace gannet::kernels {

inline constexpr uint32_t k_no_job = UINT32_MAX;

/// Scores that are compared among candidates have this many units to one of the scoring.
inline constexpr int32_t k_score_unit = 16;

/// What a mismatch loses with the default scoring (1 and -4). Constants that turn differences of scores into
/// probabilities are made for it: with other scores they count mismatch_loss() / k_usual_mismatch_loss times.
inline constexpr int32_t k_usual_mismatch_loss = BandedSwScoring{}.mismatch_loss();
static_assert(k_usual_mismatch_loss == 5);

/// Candidates of a read that are kept, and beside them as many on ALT contigs.
inline constexpr uint32_t k_max_candidates = 48;

/// A candidate that scores so many mismatches less than the best ungapped one, with less than half of its
/// seeds, is pruned: it is not extended. Heuristic.
inline constexpr int32_t k_pruned_mismatches = 10;

/// Candidates of a read that are extended, best ungapped score first, and beside them as many on ALT contigs.
/// Heuristic.
inline constexpr uint32_t k_max_extended = 16;

/// A candidate alignment of a read: an exact anchor on a diagonal, and its extension to both sides. Positions
/// in the read are oriented; targets are genome coordinates. No padding: its bytes can be compared.
struct Candidate {
    int64_t diagonal = 0;  ///< genome coordinate of oriented base 0
    int64_t target_begin = 0;
    int64_t target_end = 0;
    int32_t score = 0;         ///< of the alignment; the best known so far
    int32_t left_score = 0;    ///< of the part to the left of the anchor
    int32_t right_score = 0;   ///< and to the right
    int32_t left_quality = 0;  ///< what base qualities add to the score of that side, in 1 / k_score_unit
    int32_t right_quality = 0;
    uint32_t contig = 0;
    uint32_t query_begin = 0;
    uint32_t query_end = 0;
    uint32_t anchor_begin = 0;
    uint32_t anchor_end = 0;
    uint32_t seeds = 0;  ///< read bases that seeds of this diagonal cover
    uint32_t left_job = k_no_job;
    uint32_t right_job = k_no_job;
    uint8_t strand = 0;        ///< 1: the reverse complement of the read
    bool alternate = false;    ///< on an ALT contig
    bool left_gapped = false;  ///< that side comes from banded_sw
    bool right_gapped = false;

    /// The score weighed by base qualities, in 1 / k_score_unit.
    constexpr int32_t weighed() const { return score * k_score_unit + left_quality + right_quality; }
};
static_assert(sizeof(Candidate) == 80);

/// A diagonal on which seeds of a read lie. The key is that of its hits (kernels/seeds/seed_hits.hpp) without
/// the position: the strand in bit 47, and below it the genome coordinate of the oriented base 0 plus
/// k_diagonal_bias.
struct Diagonal {
    uint64_t key = 0;
    uint32_t seeds = 0;  ///< read bases that its seeds cover
};

/// What was left out of a read's candidates.
struct CandidatesLeftOut {
    uint32_t truncated = 0;      ///< 1: the reference has more candidates for this read than were kept
    uint32_t dropped_bp = 0;     ///< most bases that the seeds of a diagonal cover that was not compared
    int32_t dropped_score = -1;  ///< best score of a candidate that was compared and not kept; -1: none
    /// Best score of a pruned diagonal, where one that matches the complete read made others no candidates.
    int32_t pruned_score = 0;
};

}  // namespace gannet::kernels
