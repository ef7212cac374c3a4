// SPDX-License-Identifier: MIT
// Provides the statistics of benchmarks: medians, quartiles, and an interval for the centre of paired
// differences.
#pragma once

#include <cstddef>
#include <span>

namespace gannet::pipeline::bench {

/// Quantile `fraction` (0 to 1) by linear interpolation between order statistics; `values` not empty.
double quantile(std::span<const double> values, double fraction);
inline double median(std::span<const double> values) { return quantile(values, 0.5); }

/// The centre of a distribution; the limits are infinite where there are too few values.
struct Interval {
    double estimate = 0;
    double low = 0;
    double high = 0;
};

/// Hodges-Lehmann estimate (the median of all Walsh averages) of the centre of symmetric differences, and the
/// interval that Wilcoxon's signed-rank test inverts to: it misses the centre with probability `alpha` at
/// most, whatever the distribution's shape (Hodges and Lehmann 1963, doi:10.1214/aoms/1177704172; Wilcoxon
/// 1945, doi:10.2307/3001968). The null distribution is exact up to k_exact_pairs, a normal approximation
/// beyond. Deterministic. Cost: n^2 averages. `differences` not empty, 0 < alpha < 1.
Interval signed_rank_interval(std::span<const double> differences, double alpha);
inline constexpr size_t k_exact_pairs = 200;

/// The minimum number of differences for which that interval is finite.
size_t min_pairs(double alpha);

}  // namespace gannet::pipeline::bench
