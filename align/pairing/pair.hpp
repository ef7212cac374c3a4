// SPDX-License-Identifier: MIT
// Provides the choice of alignments for the reads of a template, with mapping qualities.
#pragma once

#include "align/omitted.hpp"
#include "align/pairing/insert_size_model.hpp"
#include "align/parameters.hpp"
#include "align/work_state.hpp"
#include "data/read_batch.hpp"

namespace gannet::align {

/// Chooses among the candidates of the template's reads (one, or the two of a pair): appends to state.chosen
/// the primary alignment of each read and its supplementaries, and sets state.ranges. Of equal choices a hash
/// of the template's name and the position decides: no locus is preferred, and the same reads always get the
/// same alignments. `omitted_positions` limit the mapping qualities by what seeding left out; null where it
/// left nothing out.
void choose_template(const data::ReadBatch& batch, const AlignerParameters& parameters,
                     const InsertSizeModel& model, const OmittedPositions* omitted_positions,
                     size_t template_index, AlignmentWork::State& state);

}  // namespace gannet::align
