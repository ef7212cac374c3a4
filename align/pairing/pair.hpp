// SPDX-License-Identifier: MIT
// Provides the choice of places for the reads of a template, with mapping qualities.
#pragma once

#include "align/aligner.hpp"
#include "align/work.hpp"

namespace gannet::align {

/// Chooses for the template's reads (one, or two from `first_read` on): appends to state.chosen the primary
/// of each read and its supplementaries, and sets state.ranges. Equal choices are settled by a hash of the
/// template's name: no place is preferred, and the same reads always get the same places.
void choose_template(const data::ReadBatch& batch, const AlignerParameters& parameters,
                     const InsertSizeModel& model, size_t template_index, AlignmentWork::State& state);

}  // namespace gannet::align
