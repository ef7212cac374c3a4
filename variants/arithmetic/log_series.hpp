// SPDX-License-Identifier: MIT
// Provides exponential and logarithm as series, for tables that the compiler makes. For sources only: what
// includes it pays for the tables that it makes.
#pragma once

#include "variants/arithmetic/log_math.hpp"

namespace gannet::variants::log_tables {

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

}  // namespace gannet::variants::log_tables
