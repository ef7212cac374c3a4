// SPDX-License-Identifier: MIT
// Provides the other hits of a read that its records list in the tag XA.
#pragma once

#include "align/work_state.hpp"

#include <cstddef>
#include <cstdint>

namespace gannet::align {

/// A record lists its other hits only where there are at most so many; the second number where one of them is
/// on an ALT contig. As bwa mem's -h 5,200.
inline constexpr size_t k_max_other_hits = 5;
inline constexpr size_t k_max_other_hits_with_alternates = 200;

/// For each alignment in `range`, adds to state.other_hits the candidates for the same part of the read that
/// score at least 0.8 of it and at least `minimum_score`, and are no record of the read themselves; none
/// where there are more than the limits above. Candidates that were not kept are not counted.
void add_other_hits(const ReadState& read, const ChosenRange& range, int32_t minimum_score,
                    AlignmentWork::State& state);

}  // namespace gannet::align
