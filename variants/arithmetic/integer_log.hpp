// SPDX-License-Identifier: MIT
// Provides log10 of ratios of integers in fixed point, from a table: the same on every machine.
#pragma once

#include "variants/arithmetic/log_math.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace gannet::variants {

namespace log_tables {

inline constexpr int k_mantissa_bits = 11;

}  // namespace log_tables

/// log10(1 + i / 2^k_mantissa_bits), x 65536. Made in log_math.cpp.
extern const std::array<LogProbability, (1 << log_tables::k_mantissa_bits) + 1> k_log_mantissa_table;
inline constexpr LogProbability k_log_two = -k_log_half;

/// log10 of a whole number, x 65536, within 16 / 65536 up to 2^40; of 0 that of 1.
inline LogProbability log_of(uint64_t value) {
    if (value < 2) return 0;
    constexpr int k_fraction_bits = 8;  // of the interpolation between two entries
    const int exponent = std::bit_width(value) - 1;
    const uint64_t bits = value << (63 - exponent);
    const auto index = static_cast<size_t>((bits >> (63 - log_tables::k_mantissa_bits)) -
                                           (uint64_t{1} << log_tables::k_mantissa_bits));
    const auto fraction = static_cast<LogProbability>(
        (bits >> (63 - log_tables::k_mantissa_bits - k_fraction_bits)) & ((1 << k_fraction_bits) - 1));
    const LogProbability low = k_log_mantissa_table[index];
    const LogProbability step = k_log_mantissa_table[index + 1] - low;
    return exponent * k_log_two + low + ((step * fraction) >> k_fraction_bits);
}

/// log10(part / whole), x 65536; both positive.
inline LogProbability log_of_ratio(uint64_t part, uint64_t whole) { return log_of(part) - log_of(whole); }

}  // namespace gannet::variants
