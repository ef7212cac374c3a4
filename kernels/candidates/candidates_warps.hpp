// SPDX-License-Identifier: MIT
// Provides what goes between the host's side of the device schedule of the search for candidates and its
// warps: plain arrays, and the memory of a warp.
#pragma once

#include "kernels/candidates/candidates.hpp"
#include "kernels/warp.hpp"

#include <cstdint>

namespace gannet::kernels::candidates {

/// A warp takes reads of at most so many bases and hits; others are left to the host.
inline constexpr uint32_t k_warp_read_bp = 320;
inline constexpr uint32_t k_warp_hits = 1024;

constexpr bool fits_warp(uint32_t length_bp, uint64_t hits) {
    return length_bp <= k_warp_read_bp && hits <= k_warp_hits;
}

inline constexpr uint32_t k_warp_words = strand_words(k_warp_read_bp);
inline constexpr uint32_t k_warp_diagonals = 2 * k_max_diagonals;  ///< that are compared

/// The bases that differ on the diagonal that a lane is at: word w of lane l is at w * k_warp_lanes + l.
struct LaneWords {
    uint32_t differing[k_warp_words * k_warp_lanes];
    uint32_t ambiguous[k_warp_words * k_warp_lanes];
};

/// Of a warp, in shared memory.
struct WarpShared {
    uint64_t packed[2 * k_warp_words];
    uint64_t mask[2 * k_warp_words];
    LaneWords lanes;
    uint32_t before[k_warp_lanes];  ///< a sum over the lanes before each
    uint32_t stops[k_warp_lanes];   ///< what each lane found
    // Of the read.
    uint32_t diagonals;
    uint32_t compared;
    uint32_t best;
    uint32_t listed;
    uint32_t most_dropped;  ///< bp, of diagonals that were dropped
    uint32_t most_pruned;   ///< score
    uint32_t pruned;
    uint32_t kept_primary;
    uint32_t kept;
    uint32_t jobs;
    uint64_t candidate_begin;
    uint64_t job_begin;
    CandidatesLeftOut left_out;
};

/// Of a warp, in the device's memory; kept from read to read.
struct WarpScratch {
    uint64_t hits[k_warp_hits];
    Diagonal diagonals[k_warp_hits];
    Diagonal compared[k_warp_diagonals];
    Candidate found[k_warp_diagonals];
    uint16_t list[k_warp_diagonals];
    uint16_t order[k_warp_diagonals];
    uint16_t job[k_warp_diagonals];
    uint8_t sides[k_warp_diagonals];
    uint8_t gone[k_warp_diagonals];
    uint8_t part[k_warp_hits];
    uint8_t kept[k_warp_hits];
};

/// Of a read: where its results are, in whatever order the warps came to them. left_job and right_job of its
/// candidates count from job_begin.
struct ReadOutcome {
    uint8_t done = 0;  ///< 0: the read, or its results, had no room, and the host does it
    uint8_t candidates = 0;
    uint8_t jobs = 0;
    uint8_t zero = 0;
    uint32_t candidate_begin = 0;
    uint32_t job_begin = 0;
    CandidatesLeftOut left_out;
};
static_assert(2 * k_max_candidates <= UINT8_MAX && 4 * k_max_extended <= UINT8_MAX);
static_assert(sizeof(ReadOutcome) == 28);

/// What all warps see.
struct CandidateArrays {
    CandidateParameters parameters;
    GenomeView genome;
    ReadBatchView reads;
    SeedHitsView hits;  ///< also of reads whose hits are not there
    ReadOutcome* outcomes = nullptr;
    Candidate* candidates = nullptr;
    ExtensionJob* jobs = nullptr;
    uint32_t candidate_room = 0;
    uint32_t job_room = 0;
    unsigned long long* counters = nullptr;  ///< of candidates and of jobs that were claimed
};

}  // namespace gannet::kernels::candidates
