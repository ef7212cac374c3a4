// SPDX-License-Identifier: MIT
// Provides exponentials in plain IEEE arithmetic, so that the simulator's tables are the same with every
// libm.
#pragma once

#include <cstdint>

namespace gannet::data::simulate {

/// e^x for |x| <= 700, to about 1e-15 of the value.
constexpr double portable_exp(double x) {
    constexpr double ln2 = 0.6931471805599453;
    const auto halvings = static_cast<int64_t>(x / ln2 + (x < 0 ? -0.5 : 0.5));
    const double rest = x - static_cast<double>(halvings) * ln2;
    double sum = 1;
    double term = 1;
    for (int k = 1; k < 20; ++k) {
        term *= rest / k;
        sum += term;
    }
    for (int64_t k = 0; k < halvings; ++k) sum *= 2;
    for (int64_t k = 0; k > halvings; --k) sum /= 2;
    return sum;
}

/// Natural logarithm of x, 1e-12 to 1e12, by Newton's iteration on portable_exp.
constexpr double portable_log(double x) {
    double y = 0;
    for (double scaled = x; scaled > 1.5; scaled /= 2) y += 0.6931471805599453;
    for (double scaled = x; scaled < 0.75; scaled *= 2) y -= 0.6931471805599453;
    for (int k = 0; k < 5; ++k) {
        const double e = portable_exp(y);
        y += 2 * (x - e) / (x + e);
    }
    return y;
}

/// From low to high, evenly on a log scale, by `u` in [0, 1).
constexpr double log_uniform(double low, double high, double u) {
    if (low >= high || low <= 0) return low + (high - low) * u;
    const double from = portable_log(low);
    return portable_exp(from + (portable_log(high) - from) * u);
}

}  // namespace gannet::data::simulate
