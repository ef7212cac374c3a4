// SPDX-License-Identifier: MIT
// Provides medians, quartiles and the signed-rank interval.
#include "pipeline/bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gannet::pipeline::bench {
namespace {

/// How many of the smallest Walsh averages may lie below the interval: the largest k with P(W < k) <= tail,
/// W the sum of the ranks that a fair coin gives a sign.
size_t exact_depth(size_t pairs, double tail) {
    std::vector<double> chance(pairs * (pairs + 1) / 2 + 1, 0.0);
    chance[0] = 1;
    size_t highest = 0;
    for (size_t rank = 1; rank <= pairs; ++rank) {
        highest += rank;
        for (size_t sum = highest + 1; sum-- > 0;)
            chance[sum] = 0.5 * (chance[sum] + (sum >= rank ? chance[sum - rank] : 0.0));
    }
    double below = 0;
    size_t depth = 0;
    while (depth < chance.size() && below + chance[depth] <= tail) below += chance[depth++];
    return depth;
}

/// Upper quantile of the standard normal distribution, by bisection of its distribution function.
double normal_quantile(double tail) {
    double low = 0;
    double high = 40;
    for (int step = 0; step < 100; ++step) {
        const double middle = 0.5 * (low + high);
        (0.5 * std::erfc(middle / std::sqrt(2.0)) > tail ? low : high) = middle;
    }
    return low;
}

size_t depth_of(size_t pairs, double tail) {
    if (pairs <= k_exact_pairs) return exact_depth(pairs, tail);
    const auto n = static_cast<double>(pairs);
    const double mean = n * (n + 1) / 4;
    const double deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
    return static_cast<size_t>(std::max(0.0, mean - 0.5 - normal_quantile(tail) * deviation));
}

}  // namespace

double quantile(std::span<const double> values, double fraction) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const double rank = fraction * static_cast<double>(sorted.size() - 1);
    const auto at = static_cast<size_t>(rank);
    const double rest = rank - static_cast<double>(at);
    if (rest == 0) return sorted[at];
    return sorted[at] + rest * (sorted[at + 1] - sorted[at]);
}

Interval signed_rank_interval(std::span<const double> differences, double alpha) {
    std::vector<double> averages;
    averages.reserve(differences.size() * (differences.size() + 1) / 2);
    for (size_t i = 0; i < differences.size(); ++i) {
        for (size_t j = i; j < differences.size(); ++j)
            averages.push_back(0.5 * (differences[i] + differences[j]));
    }
    std::sort(averages.begin(), averages.end());
    Interval interval;
    interval.estimate = quantile(averages, 0.5);
    const size_t depth = depth_of(differences.size(), alpha / 2);
    constexpr double k_infinite = std::numeric_limits<double>::infinity();
    interval.low = depth == 0 ? -k_infinite : averages[depth - 1];
    interval.high = depth == 0 ? k_infinite : averages[averages.size() - depth];
    return interval;
}

size_t min_pairs(double alpha) {
    size_t pairs = 1;
    for (double chance = 0.5; chance > alpha / 2; chance /= 2) ++pairs;
    return pairs;
}

}  // namespace gannet::pipeline::bench
