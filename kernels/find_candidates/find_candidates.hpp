// SPDX-License-Identifier: MIT
// Provides the contract of the op find_candidates: from packed reads to their candidate alignments, and to
// the sides of these that banded_sw has to extend.
//
// 1. Seeding: the hits of the reads in the seed index, and what is known of the places that were left out
//    (kernels/seeds/seeds.hpp).
// 2. The search for candidates: what these hits become (kernels/candidates/candidates.hpp).
//
// The hits are no result: on a device they stay in its memory.
#pragma once

#include "kernels/backend.hpp"
#include "kernels/candidates/candidates.hpp"
#include "kernels/seeds/seeds.hpp"
#include "kernels/stream.hpp"

#include <cstdint>

namespace gannet::kernels {

/// Resized by the op.
struct FoundCandidates : SeedNotes, CandidateResults {
    /// Of no reads; keeps the memory.
    void clear();
};

/// Reads: at most 2^31, each of at most k_banded_sw_max_query bases. Qualities may be absent (null).
/// Determinism class: exact-int; equal bytes on every backend, whatever the order or the split of the reads;
/// cost: that of both steps. The views must be valid until the work is done; on a device, index and genome
/// must be resident (kernels/resident.hpp). Reads of more than 320 bp, those with more than 1,024 hits, and
/// those for whose hits or results a device has no room are done by the host, by the code of simd.
/// Thread-safe on CPU backends; scratch is kept per thread. Throws std::invalid_argument where the
/// parameters, or the index's k or s, are out of range or do not agree.
using FindCandidatesFunction = void (*)(Stream&, const CandidateParameters&, const SeedIndexView&,
                                        const GenomeView&, const ReadBatchView&, FoundCandidates&);

/// The function for a backend that is available (backend_status).
FindCandidatesFunction find_candidates_function(Backend backend, SimdLevel level);

/// Scratch that the warps of a device want for a batch of so many reads: with less they take turns.
uint64_t find_candidates_scratch_bytes(uint64_t reads);

}  // namespace gannet::kernels
