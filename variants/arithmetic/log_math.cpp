// SPDX-License-Identifier: MIT
// Provides the tables of fixed-point logarithms, and the series that the compiler makes them with.
#include "variants/arithmetic/log_math.hpp"

#include <algorithm>

namespace gannet::variants {
namespace log_tables {
namespace {

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
constexpr double k_ln10 = 2.302585092994045684;
constexpr LogProbability rounded(double log10_value) {
    const double scaled = log10_value * k_log_scale;
    return static_cast<LogProbability>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

/// By i / 512 decades of difference: log10(1 + 10^-difference).
constexpr std::array<LogProbability, k_add_entries> make_add_table() {
    std::array<LogProbability, k_add_entries> table{};
    for (int i = 0; i < k_add_entries; ++i) {
        const double difference = static_cast<double>(i) / 512;
        table[static_cast<size_t>(i)] = rounded(natural_log1p(natural_exp(-difference * k_ln10)) / k_ln10);
    }
    return table;
}

constexpr std::array<LogProbability, 94> make_correct_table() {
    std::array<LogProbability, 94> table{};
    for (int q = 0; q < 94; ++q) {
        const double error = natural_exp(-(q < 2 ? 2 : q) * k_ln10 / 10);
        table[static_cast<size_t>(q)] = rounded(natural_log1p(-error) / k_ln10);
    }
    return table;
}

/// log10(1 + i / 2^k_mantissa_bits).
constexpr std::array<LogProbability, (1 << k_mantissa_bits) + 1> make_mantissa_table() {
    std::array<LogProbability, (1 << k_mantissa_bits) + 1> table{};
    for (size_t i = 0; i < table.size(); ++i) {
        const double fraction = static_cast<double>(i) / (1 << k_mantissa_bits);
        table[i] = rounded(natural_log1p(fraction) / k_ln10);
    }
    return table;
}

constexpr std::array<LogProbability, k_max_near + 1> make_near_table() {
    std::array<LogProbability, k_max_near + 1> table{};
    for (size_t n = 1; n < table.size(); ++n) {
        double mantissa = static_cast<double>(n);
        int halvings = 0;
        for (; mantissa > 1.5; mantissa /= 2) ++halvings;
        table[n] = rounded((halvings * natural_log1p(1.0) + natural_log1p(mantissa - 1)) / k_ln10);
    }
    return table;
}

constexpr std::array<int64_t, k_max_factorial + 1> make_factorial_table() {
    std::array<int64_t, k_max_factorial + 1> table{};
    double sum = 0;
    double last = 0;  // ln(i)
    for (size_t i = 2; i < table.size(); ++i) {
        last += natural_log1p(1.0 / static_cast<double>(i - 1));
        sum += last / k_ln10;
        table[i] = static_cast<int64_t>(sum * k_log_scale + 0.5);
    }
    return table;
}

constexpr std::array<uint64_t, k_max_rate_phred + 1> make_billionths_table() {
    std::array<uint64_t, k_max_rate_phred + 1> table{};
    for (size_t q = 0; q < table.size(); ++q)
        table[q] = static_cast<uint64_t>(1e9 * natural_exp(-static_cast<double>(q) * k_ln10 / 10) + 0.5);
    return table;
}

}  // namespace

constinit const std::array<LogProbability, k_add_entries> k_add = make_add_table();
constinit const std::array<LogProbability, (1 << k_mantissa_bits) + 1> k_mantissa = make_mantissa_table();
constinit const std::array<LogProbability, k_max_near + 1> k_near = make_near_table();
constinit const std::array<int64_t, k_max_factorial + 1> k_factorial = make_factorial_table();
constinit const std::array<uint64_t, k_max_rate_phred + 1> k_billionths = make_billionths_table();

}  // namespace log_tables

constinit const std::array<LogProbability, 94> k_log_correct = log_tables::make_correct_table();

LogProbability log_of_halved_ratio(int64_t part, int64_t whole) {
    constexpr int64_t k_max = log_tables::k_max_near;
    while (part > k_max || whole > k_max) {
        part = (part + 1) / 2;
        whole = (whole + 1) / 2;
    }
    return near_log_of(static_cast<size_t>(std::max<int64_t>(1, part))) -
           near_log_of(static_cast<size_t>(std::max<int64_t>(1, whole)));
}

}  // namespace gannet::variants
