// SPDX-License-Identifier: MIT
// Provides seeding: from reads to candidates, for a block of reads in lock-step.
#pragma once

#include "align/ungapped.hpp"

namespace gannet::align {

/// Reads whose look-ups are in flight together: enough to hide the latency of memory, few enough for the
/// cache.
inline constexpr size_t k_lockstep_reads = 32;

/// K-mers with more entries than the first number are narrowed by the bases that follow them, to at most the
/// second. Heuristic: docs/alignment.md has the cost of larger ones.
inline constexpr size_t k_plain_hits = 16;
inline constexpr size_t k_narrowed_hits = 8;

/// Where copies on ALT contigs leave too few entries on the primary assembly, narrowing goes on to so many.
/// Heuristic: more than the 100 or so alleles that hs38DH has of one HLA gene.
inline constexpr size_t k_narrowed_beside_alternates = 128;

/// Where so many disjoint seeds are unique, seeds with more entries than the second number are left out.
/// Heuristic.
inline constexpr uint32_t k_enough_unique = 4;
inline constexpr size_t k_hits_beside_unique = 4;
/// Where so many disjoint seeds have all their entries used, no seed is narrowed. Heuristic.
inline constexpr uint32_t k_enough_complete = 5;

/// Packs the reads of the batch into `state` (reads, packed, mask).
void pack_reads(const data::ReadBatch& batch, AlignmentWork::State& state);

/// Seeds reads [first, last), compares each diagonal that seeds lie on with the reference, and appends the
/// candidates of each read to state.candidates: one per cluster of diagonals closer than the band, best
/// score first.
void seed_reads(const data::ReadBatch& batch, const Index& index, const AlignerTables& tables,
                const AlignerParameters& parameters, size_t first, size_t last, AlignmentWork::State& state);

}  // namespace gannet::align
