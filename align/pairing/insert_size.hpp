// SPDX-License-Identifier: MIT
// Provides the insert-size model: how it is made, and what a pair of places costs under it.
#pragma once

#include "align/aligner.hpp"
#include "align/work.hpp"

namespace gannet::align {

/// Where the model is not valid (fewer than k_fewest_inserts confident pairs): wide, so that pairs of most
/// libraries are proper.
inline constexpr InsertSizeModel k_fallback_model{false, 400, 200, 1, 1200};
inline constexpr size_t k_fewest_inserts = 32;
inline constexpr int32_t k_longest_insert_bp = 10'000;

/// The model itself, or the fallback.
InsertSizeModel usable(const InsertSizeModel& model);

/// Insert size of two places (unclipped 5' ends, outermost), or 0 when the strands do not point at each other
/// or they lie on different contigs or too far apart.
int32_t insert_size(const Candidate& a, uint32_t length_a, const Candidate& b, uint32_t length_b);

/// What an insert of this size costs, in 1 / k_score_unit of a score unit; growing with the distance from the
/// mean in units of the standard deviation, as the logarithm of the two-sided tail of the normal
/// distribution.
int32_t insert_penalty(const InsertSizeModel& model, int32_t insert);

}  // namespace gannet::align
