// SPDX-License-Identifier: MIT
// Provides the rank-sum test and the odds ratio of strands in integers.
#include "variants/arithmetic/rank_sum.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <vector>

namespace gannet::variants {

namespace {

__extension__ using Wide = unsigned __int128;

// Probabilities are in units of 2^-40: nothing here is below 10^-5.
constexpr int k_probability_bits = 40;
// The smallest exact probability is half of one in C(18, 9) = 48,620: z is above -4.27.
constexpr size_t k_max_exact_milli = 4300;

/// P(Z < -z) of the normal distribution: 1/2 - the series of Abramowitz and Stegun, 26.2.11.
constexpr double lower_tail(double z) {
    const double half = -z * z / 2 / 1024;
    double density = 1;
    double power = 1;
    for (int i = 1; i < 12; ++i) density += power *= half / i;
    for (int i = 0; i < 10; ++i) density *= density;
    density *= 0.39894228040143267794;  // 1 / sqrt(2 pi)
    double sum = 0;
    double term = z;
    for (int i = 1; i < 160 && term > 1e-18; i += 2) {
        sum += term;
        term *= z * z / (i + 2);
    }
    return 0.5 - density * sum;
}

/// By i: P(Z < -(i + 1/2) / 1000), where rounding to thousandths goes from -i to -(i + 1).
constexpr std::array<uint64_t, k_max_exact_milli> make_tail_table() {
    std::array<uint64_t, k_max_exact_milli> table{};
    for (size_t i = 0; i < table.size(); ++i) {
        const double tail = lower_tail((static_cast<double>(i) + 0.5) / 1000);
        table[i] = static_cast<uint64_t>(tail * static_cast<double>(uint64_t{1} << k_probability_bits) + 0.5);
    }
    return table;
}
constexpr std::array<uint64_t, k_max_exact_milli> k_tails = make_tail_table();

/// The normal quantile of part / whole, x 1000; 0 < part < whole < 2^20.
int32_t quantile_milli(uint64_t part, uint64_t whole) {
    if (2 * part > whole) return -quantile_milli(whole - part, whole);
    const uint64_t probability = part << k_probability_bits;
    const auto reached = std::partition_point(k_tails.begin(), k_tails.end(),
                                              [&](uint64_t tail) { return probability < tail * whole; });
    return -static_cast<int32_t>(reached - k_tails.begin());
}

/// Largest r with r * r <= value.
uint64_t root_of(Wide value) {
    uint64_t root = 0;
    for (int bit = 62; bit >= 0; --bit) {
        const uint64_t next = root | uint64_t{1} << bit;
        if (Wide{next} * next <= value) root = next;
    }
    return root;
}

/// Equal values of both series, and their mean rank, doubled: it may be half of an odd number.
struct TieGroup {
    uint32_t first = 0;
    uint32_t second = 0;
    uint64_t doubled_rank = 0;
    uint64_t size() const { return uint64_t{first} + second; }
};

std::vector<TieGroup> groups_of(std::span<const int32_t> first, std::span<const int32_t> second) {
    std::vector<TieGroup> groups;
    uint64_t before = 0;
    for (size_t i = 0, j = 0; i < first.size() || j < second.size();) {
        const bool from_first = j == second.size() || (i < first.size() && first[i] <= second[j]);
        const int32_t value = from_first ? first[i] : second[j];
        TieGroup group;
        for (; i < first.size() && first[i] == value; ++i) ++group.first;
        for (; j < second.size() && second[j] == value; ++j) ++group.second;
        group.doubled_rank = 2 * before + group.size() + 1;
        before += group.size();
        groups.push_back(group);
    }
    return groups;
}

constexpr size_t k_max_exact = 2 * (k_min_normal_count - 1);
constexpr size_t k_rank_sums = k_max_exact * (k_max_exact + 1) + 1;  // of doubled ranks

/// The quantile of the probability of a lower sum of ranks, by counting all choices of `count` of the values.
int32_t exact_milli(const std::vector<TieGroup>& groups, size_t count, uint64_t doubled_sum) {
    // By number of chosen values, and doubled sum of their ranks.
    std::array<std::array<uint32_t, k_rank_sums>, k_min_normal_count> ways{};
    ways[0][0] = 1;
    size_t seen = 0;
    size_t highest = 0;  // sum so far
    for (const TieGroup& group : groups) {
        const auto rank = static_cast<size_t>(group.doubled_rank);
        for (uint64_t n = 0; n < group.size(); ++n) {
            ++seen;
            highest += rank;
            for (size_t chosen = std::min(seen, count); chosen > 0; --chosen) {
                const uint32_t* const from = ways[chosen - 1].data();
                uint32_t* const to = ways[chosen].data() + rank;
                for (size_t s = 0; s + rank <= highest; ++s) to[s] += from[s];
            }
        }
    }
    uint64_t lower = 0;
    uint64_t total = 0;
    for (size_t s = 0; s <= highest; ++s) {
        const uint64_t here = ways[count][s];
        total += here;
        if (s < doubled_sum) lower += 2 * here;
        if (s == doubled_sum) lower += here;
    }
    return quantile_milli(lower, 2 * total);
}

/// log2 x 2^32 of a positive number, downwards, within 2^-29.
int64_t log2_of(Wide value) {
    int exponent = 0;
    while (value >> 64 != 0) {
        value >>= 1;
        ++exponent;
    }
    auto mantissa = static_cast<uint64_t>(value);
    const int shift = std::countl_zero(mantissa);
    mantissa <<= shift;
    exponent += 63 - shift;
    int64_t fraction = 0;
    for (int bit = 31; bit >= 0; --bit) {
        // The square of a mantissa in [1, 2), which has 63 bits after the point, is in [1, 4).
        const Wide square = Wide{mantissa} * mantissa;
        const bool carries = static_cast<uint64_t>(square >> 127) != 0;
        mantissa = static_cast<uint64_t>(square >> (carries ? 64 : 63));
        if (carries) fraction |= int64_t{1} << bit;
    }
    return (int64_t{exponent} << 32) + fraction;
}

}  // namespace

std::optional<int32_t> rank_sum_milli(std::span<int32_t> first, std::span<int32_t> second) {
    if (first.empty() || second.empty()) return std::nullopt;
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    const std::vector<TieGroup> groups = groups_of(first, second);
    if (groups.size() == 1) return 0;  // nothing is above anything
    const uint64_t n1 = first.size();
    const uint64_t n2 = second.size();
    uint64_t doubled_sum = 0;
    uint64_t ties = 0;
    for (const TieGroup& group : groups) {
        doubled_sum += group.first * group.doubled_rank;
        ties += group.size() * group.size() * group.size() - group.size();
    }
    if (n1 < k_min_normal_count && n2 < k_min_normal_count) return exact_milli(groups, n1, doubled_sum);
    const uint64_t n = n1 + n2;
    const auto doubled_u = static_cast<int64_t>(doubled_sum - n1 * (n1 + 1));
    const int64_t difference = doubled_u - static_cast<int64_t>(n1 * n2) + (ties != 0 ? 1 : 0);
    // z = (difference / 2) / sigma, sigma^2 = n1 n2 / 12 (n + 1 - ties / (n (n - 1))). In halves of 1/1000.
    const Wide size = static_cast<uint64_t>(std::abs(difference));
    const Wide numerator = size * size * 3 * n * (n - 1) * 4'000'000;
    const Wide denominator = Wide{n1} * n2 * (Wide{n} * n * n - n - ties);
    const auto milli = static_cast<int32_t>((root_of(numerator / denominator) + 1) / 2);
    return difference < 0 ? -milli : milli;
}

int32_t strand_odds_milli(std::span<const int32_t, 4> strand_counts) {
    std::array<uint64_t, 4> n{};
    for (size_t i = 0; i < n.size(); ++i) n[i] = static_cast<uint64_t>(strand_counts[i]) + 1;
    const Wide a = Wide{n[0]} * n[3];
    const Wide b = Wide{n[1]} * n[2];
    const auto ratio = [](uint64_t x, uint64_t y) {
        return log2_of(std::min(x, y)) - log2_of(std::max(x, y));
    };
    const int64_t log2 =
        log2_of(a * a + b * b) - log2_of(a) - log2_of(b) + ratio(n[0], n[1]) - ratio(n[2], n[3]);
    constexpr uint64_t k_ln2 = 693'147'180'560;  // x 10^12
    const Wide size = static_cast<uint64_t>(std::abs(log2));
    const auto milli = static_cast<int32_t>((size * k_ln2 / 1'000'000'000 + (uint64_t{1} << 31)) >> 32);
    return log2 < 0 ? -milli : milli;
}

}  // namespace gannet::variants
