// SPDX-License-Identifier: MIT
// Provides mate rescue: looking for a read where its mate's place says it should be.
#pragma once

#include "align/extend.hpp"
#include "align/ungapped.hpp"

namespace gannet::align {

/// Places of a read beside which its mate is looked for, best first, within k_rescue_within of the best.
inline constexpr size_t k_most_rescues = 6;

/// For each read of template `first_read` / 2: beside each good place of its mate where it has no place of
/// its own, the window of proper inserts is searched; what is found goes to state.rescued with its jobs
/// added. The search compares 32-base blocks of the read with every diagonal of the window: a diagonal is a
/// find when a block has at most k_most_block_mismatches.
void rescue_template(const data::ReadBatch& batch, const Index& index, const Ungapped& ungapped,
                     const AlignerParameters& parameters, const InsertSizeModel& model, uint32_t first_read,
                     Extender& extender, AlignmentWork::State& state);

/// Takes the results of those jobs into the candidates of their reads.
void merge_rescued(const Extender& extender, const AlignerParameters& parameters,
                   AlignmentWork::State& state);

}  // namespace gannet::align
