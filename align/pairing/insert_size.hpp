// SPDX-License-Identifier: MIT
// Provides the insert size of two candidate alignments.
#pragma once

#include "align/work_state.hpp"

namespace gannet::align {

inline constexpr int32_t k_max_insert_bp = 10'000;

/// Distance between the outer ends (unclipped 5' ends) of a forward-reverse pair; 0 when the strands do not
/// point at each other, or the two lie on different contigs or more than k_max_insert_bp apart.
int32_t insert_size(const Candidate& a, uint32_t length_a, const Candidate& b, uint32_t length_b);

}  // namespace gannet::align
