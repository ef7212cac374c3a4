// SPDX-License-Identifier: MIT
// Provides log10 probabilities in fixed point, with addition and Phred conversion by tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gannet::variants {

/// A log10 probability times 65536; sums over reads need int64.
using LogProbability = int32_t;
inline constexpr int32_t k_log_scale = 1 << 16;
inline constexpr LogProbability k_log_half = -19728;  ///< log10(1/2)
inline constexpr LogProbability k_log_three = 31269;  ///< log10(3)

constexpr LogProbability log_of_phred(int64_t phred) {
    return static_cast<LogProbability>(-phred * k_log_scale / 10);
}

namespace log_tables {

inline constexpr int k_add_shift = 7;  ///< the argument is rounded to 1/512 of a decade
inline constexpr int k_add_entries =
    6 * 512;  ///< beyond six decades the smaller term is below the resolution

// Series instead of libm: the compiler makes the tables, so they are the same on every machine.
constexpr double natural_exp(double x) {
    double half = x / 1024;
    double sum = 1, term = 1;
    for (int i = 1; i < 12; ++i) sum += term *= half / i;
    for (int i = 0; i < 10; ++i) sum *= sum;
    return sum;
}
constexpr double natural_log1p(double x) {  // -0.9 < x <= 1
    const double z = x / (2 + x);
    double sum = 0, power = z;
    for (int i = 0; i < 120; ++i, power *= z * z) sum += power / (2 * i + 1);
    return 2 * sum;
}
inline constexpr double k_ln10 = 2.302585092994045684;
constexpr LogProbability rounded(double log10_value) {
    const double scaled = log10_value * k_log_scale;
    return static_cast<LogProbability>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

constexpr std::array<LogProbability, k_add_entries> make_add_table() {
    std::array<LogProbability, k_add_entries> table{};
    for (int i = 0; i < k_add_entries; ++i) {
        const double difference = static_cast<double>(i) / 512;
        table[static_cast<size_t>(i)] = rounded(natural_log1p(natural_exp(-difference * k_ln10)) / k_ln10);
    }
    return table;
}
/// log10(1 - 10^(-q/10)); Phred 0 and 1 read as 2 so that nothing is impossible.
constexpr std::array<LogProbability, 94> make_correct_table() {
    std::array<LogProbability, 94> table{};
    for (int q = 0; q < 94; ++q) {
        const double error = natural_exp(-(q < 2 ? 2 : q) * k_ln10 / 10);
        table[static_cast<size_t>(q)] = rounded(natural_log1p(-error) / k_ln10);
    }
    return table;
}

}  // namespace log_tables

inline constexpr auto k_log_add_table = log_tables::make_add_table();
inline constexpr auto k_log_correct =
    log_tables::make_correct_table();  ///< by Phred: log10 P(the base is correct)

/// log10 P(one particular wrong base | Phred): a third of the error.
constexpr LogProbability log_wrong(uint32_t phred) {
    return log_of_phred(phred < 2 ? 2 : phred) - k_log_three;
}

/// log10(10^a + 10^b), within 1e-3 of a decade.
template <class T>
constexpr T log_add(T a, T b) {
    const T low = a < b ? a : b;
    const T high = a < b ? b : a;
    const T index = (high - low + (1 << (log_tables::k_add_shift - 1))) >> log_tables::k_add_shift;
    return index >= log_tables::k_add_entries ? high : high + k_log_add_table[static_cast<size_t>(index)];
}

/// Phred times 100 of a log10 probability, rounded to nearest; 0 for anything above 0.
constexpr int64_t phred_centi(int64_t log_probability) {
    return log_probability >= 0 ? 0 : (-log_probability * 1000 + k_log_scale / 2) / k_log_scale;
}

}  // namespace gannet::variants
