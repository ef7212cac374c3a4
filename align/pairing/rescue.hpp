// SPDX-License-Identifier: MIT
// Provides mate rescue: the search for a read where it would make a proper pair with its mate.
#pragma once

#include "align/extend.hpp"
#include "align/pairing/insert_size_model.hpp"
#include "align/ungapped.hpp"

namespace gannet::align {

/// Candidates of a read near which its mate is searched, best first, as long as they score within the penalty
/// of an unpaired template of the best one. Heuristic.
inline constexpr size_t k_max_rescues = 6;

/// For each of the reads [first, last), which are complete templates: near each good candidate of its mate
/// where the read has no candidate itself, searches the window in which the two would be a proper pair. What
/// is found is added to state.rescued, with its jobs. The search compares the 32-base blocks of the read with
/// every diagonal of the window and takes the diagonal with most blocks of at most k_max_block_mismatches
/// mismatches. The memory of all windows is asked for before the first is searched.
void rescue_mates(const data::ReadBatch& batch, const Index& index, const Ungapped& ungapped,
                  const AlignerParameters& parameters, const InsertSizeModel& model, uint32_t first,
                  uint32_t last, Extender& extender, AlignmentWork::State& state);

/// Takes the results of those jobs into the candidates of their reads.
void merge_rescued(const Extender& extender, const AlignerParameters& parameters,
                   AlignmentWork::State& state);

}  // namespace gannet::align
