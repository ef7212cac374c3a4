// SPDX-License-Identifier: MIT
// Provides the other hits of a read that its records list in the tag XA.
#pragma once

#include "align/work_state.hpp"

#include <cstddef>
#include <cstdint>

namespace gannet::align {

using kernels::k_max_other_hits;
using kernels::k_max_other_hits_with_alternates;

/// For each alignment in `range`, adds to state.other_hits the candidates for the same part of the read that
/// score at least 0.8 of it and at least `minimum_score`, and are no record of the read themselves; none
/// where there are more than these limits. Candidates that were not kept are not counted.
void add_other_hits(const ReadState& read, const ChosenRange& range, int32_t minimum_score,
                    AlignmentWork::State& state);

}  // namespace gannet::align
