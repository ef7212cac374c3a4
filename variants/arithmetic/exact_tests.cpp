// SPDX-License-Identifier: MIT
// Provides Fisher's exact test and the binomial test in fixed-point logarithms.
#include "variants/arithmetic/exact_tests.hpp"

#include "variants/arithmetic/log_math.hpp"
#include "variants/model/sequence.hpp"

#include <algorithm>
#include <array>

namespace gannet::variants {

namespace {

// Larger counts are scaled down before a test.
constexpr int32_t k_max_tested = sequence_number("exact_test_max_count");
static_assert(4 * k_max_tested <= log_tables::k_max_factorial);
// Tables as likely as the observed one differ from it by rounding only.
constexpr int64_t k_rounding = sequence_number("exact_test_rounding");

/// Scales counts down, all alike, until the table of factorials holds their sum.
template <size_t n>
void scale_down(std::array<int32_t, n>& counts) {
    const int32_t largest = *std::max_element(counts.begin(), counts.end());
    if (largest <= k_max_tested) return;
    for (int32_t& count : counts) count = static_cast<int32_t>(int64_t{count} * k_max_tested / largest);
}

}  // namespace

int32_t allele_bias_centi(int32_t reference, int32_t alternate) {
    std::array<int32_t, 2> n{reference, alternate};
    scale_down(n);
    const int32_t total = n[0] + n[1];
    int64_t sum = k_log_zero;
    for (int32_t i = 0; i <= n[1]; ++i) {
        sum = log_add(sum, log_factorial(total) - log_factorial(i) - log_factorial(total - i) +
                               int64_t{total} * k_log_half);
    }
    return static_cast<int32_t>(phred_centi(sum));
}

int32_t strand_bias_centi(std::span<const int32_t, 4> strand_counts) {
    std::array<int32_t, 4> n{strand_counts[0], strand_counts[1], strand_counts[2], strand_counts[3]};
    scale_down(n);
    const int32_t forward = n[0] + n[2];
    const int32_t reverse = n[1] + n[3];
    const int32_t alternate = n[2] + n[3];
    const int32_t total = forward + reverse;
    const auto log_probability = [&](int32_t alternate_forward) {
        return log_factorial(forward) + log_factorial(reverse) + log_factorial(alternate) +
               log_factorial(total - alternate) - log_factorial(total) - log_factorial(alternate_forward) -
               log_factorial(forward - alternate_forward) - log_factorial(alternate - alternate_forward) -
               log_factorial(reverse - alternate + alternate_forward);
    };
    const int64_t observed = log_probability(n[2]);
    int64_t sum = k_log_zero;
    for (int32_t i = std::max(0, alternate - reverse); i <= std::min(alternate, forward); ++i) {
        const int64_t probability = log_probability(i);
        if (probability <= observed + k_rounding) sum = log_add(sum, probability);
    }
    return static_cast<int32_t>(phred_centi(sum));
}

int32_t absent_strand_centi(std::span<const int32_t, 4> strand_counts) {
    const bool is_forward = strand_counts[2] < strand_counts[3];
    return is_forward ? allele_bias_centi(strand_counts[0], strand_counts[2])
                      : allele_bias_centi(strand_counts[1], strand_counts[3]);
}

}  // namespace gannet::variants
