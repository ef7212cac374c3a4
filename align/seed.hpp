// SPDX-License-Identifier: MIT
// Provides seeding: from reads to candidates, for a block of reads in lock-step.
#pragma once

#include "align/ungapped.hpp"

namespace gannet::align {

using kernels::k_lockstep_reads;

/// Packs the reads of the batch into `state` (reads, packed, mask).
void pack_reads(const data::ReadBatch& batch, AlignmentWork::State& state);

/// Seeds reads [first, last), compares each diagonal that seeds lie on with the reference, and appends the
/// candidates of each read to state.candidates: one per cluster of diagonals closer than the band, best
/// score first.
void seed_reads(const data::ReadBatch& batch, const Index& index, const AlignerTables& tables,
                const AlignerParameters& parameters, size_t first, size_t last, AlignmentWork::State& state);

}  // namespace gannet::align
