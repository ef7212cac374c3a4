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

}  // namespace log_tables

// Made by the compiler, once, in log_math.cpp: in this header they would cost every source that includes it
// two seconds. They are constants, so that other tables may be made of them before main().
/// By i / 512 decades of difference: log10(1 + 10^-difference).
extern const std::array<LogProbability, log_tables::k_add_entries> k_log_add_table;
/// By Phred: log10 P(the base is correct); Phred 0 and 1 read as 2 so that nothing is impossible.
extern const std::array<LogProbability, 94> k_log_correct;

/// log10 P(one particular wrong base | Phred): a third of the error.
constexpr LogProbability log_wrong(uint32_t phred) {
    return log_of_phred(phred < 2 ? 2 : phred) - k_log_three;
}

/// log10(10^a + 10^b), within 1e-3 of a decade.
template <class T>
T log_add(T a, T b) {
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
