// SPDX-License-Identifier: MIT
// Provides the fixed-point logarithms of variants/: log10 x 65536 from tables that the compiler makes, so
// that they are the same on every machine. There is no other logarithm in a call, but for that of the
// pair-HMM.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace gannet::variants {

/// A log10 probability times 65536; sums over reads need int64.
using LogProbability = int32_t;
inline constexpr int32_t k_log_scale = 1 << 16;
inline constexpr LogProbability k_log_half = -19728;  ///< log10(1/2)
inline constexpr LogProbability k_log_two = -k_log_half;
inline constexpr LogProbability k_log_three = 31269;  ///< log10(3)
inline constexpr LogProbability k_log_e = 28462;      ///< log10(e)
/// Of what is impossible: below every sum of logarithms, and more can be added to it.
inline constexpr int64_t k_log_zero = std::numeric_limits<int64_t>::min() / 4;

// Phred and hundredths of a decade.

/// -phred / 10, rounded towards 0. Of up to 327,000.
constexpr LogProbability log_of_phred(int64_t phred) {
    return static_cast<LogProbability>(-phred * k_log_scale / 10);
}
/// log10_centi / 100, rounded towards 0. Of -32,767 to 32,767.
constexpr LogProbability log_of_centi(int32_t log10_centi) { return log10_centi * k_log_scale / 100; }
/// Phred times 100 of a log10 probability, rounded to nearest; 0 for anything above 0.
constexpr int64_t phred_centi(int64_t log_probability) {
    return log_probability >= 0 ? 0 : (-log_probability * 1000 + k_log_scale / 2) / k_log_scale;
}

namespace log_tables {

inline constexpr int k_add_shift = 7;  ///< the argument is rounded to 1/512 of a decade
inline constexpr int k_add_entries =
    6 * 512;  ///< beyond six decades the smaller term is below the resolution
inline constexpr int k_mantissa_bits = 11;
inline constexpr size_t k_max_near = 1024;
inline constexpr size_t k_max_factorial = 2000;
inline constexpr size_t k_max_rate_phred = 45;

// Made by the compiler, once, in log_math.cpp: in this header they would cost every source that includes it
// seconds. They are constants, so that other tables may be made of them before main().
extern const std::array<LogProbability, k_add_entries> k_add;
extern const std::array<LogProbability, (1 << k_mantissa_bits) + 1> k_mantissa;
extern const std::array<LogProbability, k_max_near + 1> k_near;
extern const std::array<int64_t, k_max_factorial + 1> k_factorial;
extern const std::array<uint64_t, k_max_rate_phred + 1> k_billionths;

}  // namespace log_tables

// Base qualities.

/// By Phred, 0 to 93, to nearest: log10 P(the base is correct); Phred 0 and 1 read as 2 so that nothing is
/// impossible.
extern const std::array<LogProbability, 94> k_log_correct;
/// log10 P(one particular wrong base | Phred): a third of the error.
constexpr LogProbability log_wrong(uint32_t phred) {
    return log_of_phred(phred < 2 ? 2 : phred) - k_log_three;
}
/// 10^(-phred / 10) x 10^9, to nearest; of Phred 0 to 45.
inline uint64_t billionths_of_phred(size_t phred) { return log_tables::k_billionths[phred]; }

// Sums.

/// log10(10^a + 10^b), within 1e-3 of a decade; a and b may be k_log_zero where T is int64_t.
template <class T>
T log_add(T a, T b) {
    const T low = a < b ? a : b;
    const T high = a < b ? b : a;
    const T index = (high - low + (1 << (log_tables::k_add_shift - 1))) >> log_tables::k_add_shift;
    return index >= log_tables::k_add_entries ? high : high + log_tables::k_add[static_cast<size_t>(index)];
}

// Whole numbers and their ratios.

/// Of a whole number, within 16 / 65536 up to 2^40; of 0 that of 1.
inline LogProbability log_of(uint64_t value) {
    using log_tables::k_mantissa_bits;
    if (value < 2) return 0;
    constexpr int k_fraction_bits = 8;  // of the interpolation between two entries
    const int exponent = std::bit_width(value) - 1;
    const uint64_t bits = value << (63 - exponent);
    const auto index =
        static_cast<size_t>((bits >> (63 - k_mantissa_bits)) - (uint64_t{1} << k_mantissa_bits));
    const auto fraction = static_cast<LogProbability>((bits >> (63 - k_mantissa_bits - k_fraction_bits)) &
                                                      ((1 << k_fraction_bits) - 1));
    const LogProbability low = log_tables::k_mantissa[index];
    const LogProbability step = log_tables::k_mantissa[index + 1] - low;
    return exponent * k_log_two + low + ((step * fraction) >> k_fraction_bits);
}

/// log10(part / whole), within 32 / 65536; both positive and up to 2^40.
inline LogProbability log_of_ratio(uint64_t part, uint64_t whole) { return log_of(part) - log_of(whole); }

/// Of 1 to 1024, to nearest: up to 3 / 65536 above log_of().
inline LogProbability near_log_of(size_t value) { return log_tables::k_near[value]; }

/// log10(part / whole) of any two positive numbers: near_log_of of both, halved and rounded up until neither
/// is above 1024; within 4e-3 of a decade where one is up to four times the other. The copy-number model was
/// fitted with it and with near_log_of, whose last bits are others than those of log_of_ratio.
LogProbability log_of_halved_ratio(int64_t part, int64_t whole);

/// log10(n!), to nearest; n is 0 to 2000.
inline int64_t log_factorial(int32_t n) { return log_tables::k_factorial[static_cast<size_t>(n)]; }

}  // namespace gannet::variants
