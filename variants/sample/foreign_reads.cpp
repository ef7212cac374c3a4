// SPDX-License-Identifier: MIT
// Provides the odds of foreign reads in fixed-point logarithms.
#include "variants/sample/foreign_reads.hpp"

#include "variants/model/sample.hpp"
#include "variants/model/sequence.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

constexpr int64_t k_prior = sample_number("foreign_prior_log10") * int64_t{k_log_scale};
constexpr int64_t k_extra_copy_prior = sample_number("extra_copy_prior_log10") * int64_t{k_log_scale};
constexpr int64_t k_one = 1 << 8;  // of PlaceDepth::mean_x256
constexpr int32_t k_max_tested = sequence_number("exact_test_max_count");
constexpr int64_t k_lost_percent = sample_number("foreign_lost_percent");
static_assert(2 * k_max_tested + sample_number("depth_dispersion_size") <= log_tables::k_max_factorial);

/// log10 of the probability of a count.
int64_t log_negative_binomial(int32_t count, int64_t mean_x256, int32_t dispersion_size) {
    const int64_t size = int64_t{dispersion_size} * k_one;
    const auto both = static_cast<uint64_t>(size + mean_x256);
    return log_factorial(count + dispersion_size - 1) - log_factorial(dispersion_size - 1) -
           log_factorial(count) + dispersion_size * int64_t{log_of_ratio(static_cast<uint64_t>(size), both)} +
           count * int64_t{log_of_ratio(static_cast<uint64_t>(mean_x256), both)};
}

struct ScaledCounts {
    int32_t reference = 0;
    int32_t alternate = 0;
    int64_t mean_x256 = 0;  ///< of distinct fragments of two copies; at least 2
};

/// Scales counts above k_max_tested down, with the depth.
ScaledCounts scaled(const PlaceDepth& depth, const GroupFragments& fragments) {
    int64_t reference = fragments.reference;
    int64_t alternate = fragments.alternate;
    int64_t mean = depth.mean_x256 * (reference + alternate) * fragments.sites / fragments.of_sites;
    if (const int64_t largest = std::max(reference, alternate); largest > k_max_tested) {
        mean = mean * k_max_tested / largest;
        reference = reference * k_max_tested / largest;
        alternate = alternate * k_max_tested / largest;
    }
    return {static_cast<int32_t>(reference), static_cast<int32_t>(alternate), std::max<int64_t>(2, mean)};
}

}  // namespace

/// The factorials of the counts that both have cancel each other out.
int64_t foreign_reads_odds(const PlaceDepth& depth, int32_t reference, int32_t alternate) {
    if (depth.mean_x256 <= 0) return k_no_foreign_reads;
    int64_t mean = depth.mean_x256;
    if (const int32_t largest = std::max(reference, alternate); largest > k_max_tested) {
        mean = std::max<int64_t>(1, mean * k_max_tested / largest);
        reference = static_cast<int32_t>(int64_t{reference} * k_max_tested / largest);
        alternate = static_cast<int32_t>(int64_t{alternate} * k_max_tested / largest);
    }
    const int32_t total = reference + alternate;
    const int64_t size = int64_t{depth.size} * k_one;
    const int64_t counts = log_factorial(alternate) + log_factorial(reference + depth.size - 1) -
                           log_factorial(total + depth.size - 1);
    const int64_t per_alternate =
        log_of_ratio(static_cast<uint64_t>(size + mean), static_cast<uint64_t>(mean));
    const int64_t any_number = log_of_ratio(static_cast<uint64_t>(2 * mean), k_one);
    return k_prior + counts + alternate * per_alternate + total * int64_t{k_log_two} - any_number;
}

int64_t extra_copy_odds(const PlaceDepth& depth, int32_t first, int32_t second) {
    if (depth.mean_x256 <= 0) return 0;
    return std::max(foreign_reads_odds(depth, first, second), foreign_reads_odds(depth, second, first)) -
           k_prior + k_extra_copy_prior;
}

int64_t foreign_group_odds(const PlaceDepth& depth, const GroupFragments& fragments) {
    if (depth.mean_x256 <= 0 || fragments.of_sites <= 0) return k_no_foreign_reads;
    const auto [counted, alternate, mean] = scaled(depth, fragments);
    const int32_t total = counted + alternate;
    const int64_t foreign = log_negative_binomial(counted, mean, depth.size) -
                            log_of_ratio(static_cast<uint64_t>(2 * mean), k_one);
    int64_t own = log_of_ratio(100 - k_lost_percent, 100) + log_negative_binomial(total, mean, depth.size) +
                  log_factorial(total) - log_factorial(counted) - log_factorial(alternate) -
                  total * int64_t{k_log_two};
    if (alternate * 2 * k_one <= mean)
        own = log_add(own, log_of_ratio(k_lost_percent, 100) +
                               log_negative_binomial(counted, mean / 2, depth.size) -
                               log_of_ratio(static_cast<uint64_t>(mean / 2 + k_one), k_one));
    return foreign - own;
}

int64_t one_of_three_odds(const PlaceDepth& depth, const GroupFragments& fragments) {
    if (depth.mean_x256 <= 0 || fragments.of_sites <= 0) return k_no_foreign_reads;
    const auto [counted, alternate, mean] = scaled(depth, fragments);
    return log_negative_binomial(counted, mean, depth.size) -
           log_negative_binomial(alternate, mean / 2, depth.size);
}

}  // namespace gannet::variants
