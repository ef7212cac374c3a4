// SPDX-License-Identifier: MIT
// Provides the tables of log10 probabilities.
#include "variants/arithmetic/log_math.hpp"

#include "variants/arithmetic/integer_log.hpp"
#include "variants/arithmetic/log_series.hpp"

namespace gannet::variants {
namespace log_tables {
namespace {

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

constexpr std::array<LogProbability, (1 << k_mantissa_bits) + 1> make_mantissa_table() {
    std::array<LogProbability, (1 << k_mantissa_bits) + 1> table{};
    for (size_t i = 0; i < table.size(); ++i) {
        const double fraction = static_cast<double>(i) / (1 << k_mantissa_bits);
        table[i] = rounded(natural_log1p(fraction) / k_ln10);
    }
    return table;
}

}  // namespace
}  // namespace log_tables

constinit const std::array<LogProbability, log_tables::k_add_entries> k_log_add_table =
    log_tables::make_add_table();
constinit const std::array<LogProbability, 94> k_log_correct = log_tables::make_correct_table();
constinit const std::array<LogProbability, (1 << log_tables::k_mantissa_bits) + 1> k_log_mantissa_table =
    log_tables::make_mantissa_table();

}  // namespace gannet::variants
