// SPDX-License-Identifier: MIT
// Provides the alignments to ALT contigs that are reported beside those to the primary assembly.
#pragma once

#include "align/alternate.hpp"
#include "align/parameters.hpp"

#include <cstdint>

namespace gannet::align {

using kernels::k_max_alternate_hits;

/// Adds the candidates on ALT contigs that score better than every overlapping candidate on the primary
/// assembly to state.chosen, as supplementary; of overlapping ones the best, and of equal ones the one that
/// the hash of template `template_index` of `batch` prefers. Their mapping qualities take all candidates into
/// account. For each alignment that was chosen before (from `first` on), sets the score of the best ALT
/// candidate that overlaps it and scores better.
void add_alternate_hits(const CandidateParts& parts, const ReadState& read, uint32_t first,
                        const AlignerParameters& parameters, const kernels::PairingBatch& batch,
                        uint32_t template_index, AlignmentWork::State& state);

}  // namespace gannet::align
