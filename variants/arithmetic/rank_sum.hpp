// SPDX-License-Identifier: MIT
// Provides the rank-sum test of two samples of small integers, and the odds ratio of strands, as GATK defines
// them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace gannet::variants {

/// Series shorter than this on both sides are tested exactly.
inline constexpr size_t k_min_normal_count = 10;

/// z x 1000 of the Mann-Whitney test that `first` has higher values than `second`: above 0 where it has. As
/// GATK 4 has it (MannWhitneyU, FIRST_DOMINATES): with 10 values or more on one side the normal approximation
/// with the correction for ties, and with that for continuity only where there are ties; else the normal
/// quantile of the exact probability of a lower U, the observed one counted half. Empty where a side is. Both
/// are sorted. Values are arbitrary.
///
/// Determinism class: exact-int (tables made by the compiler); the result is rounded to nearest, exact ties
/// of rounding away from 0. Of up to 100,000 values. Cost: sorting; exactly: at most 18 x 9 x 171 additions.
std::optional<int32_t> rank_sum_milli(std::span<int32_t> first, std::span<int32_t> second);

/// SOR x 1000: natural logarithm of the symmetric odds ratio of the counts, one added to each, times the
/// ratio of the reference's strands over that of the alternate's (GATK's StrandOddsRatio). Counts: reference
/// forward, reference reverse, alternate forward, alternate reverse; none negative, up to 10^9.
///
/// Determinism class: exact-int; within 1 of the exact value.
int32_t strand_odds_milli(std::span<const int32_t, 4> strand_counts);

}  // namespace gannet::variants
