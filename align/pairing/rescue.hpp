// SPDX-License-Identifier: MIT
// Provides mate rescue: where a read would make a proper pair with its mate, and what was found there.
#pragma once

#include "align/extend.hpp"
#include "align/insert_size_model.hpp"

namespace gannet::align {

/// For each of the reads [first, last), which are complete templates: appends to state.windows, near each of
/// the first k_max_rescues candidates of its mate that scores within the penalty of an unpaired template of
/// the best one, where the read has no candidate itself, the diagonals on which the two would be
/// a proper pair. The op rescue searches them for the read.
void list_windows(const AlignerParameters& parameters, const InsertSizeModel& model, uint32_t first,
                  uint32_t last, AlignmentWork::State& state);

/// Takes what was found there, and the results of its jobs, into the candidates of their reads.
void merge_rescued(const Extender& extender, const AlignerParameters& parameters,
                   AlignmentWork::State& state);

}  // namespace gannet::align
