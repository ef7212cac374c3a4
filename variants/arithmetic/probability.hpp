// SPDX-License-Identifier: MIT
// Provides probabilities as doubles whose logarithms do not depend on a machine's libm: only +, -, * and /,
// which IEEE 754 rounds in one way, and tables.
#pragma once

#include <cstdint>

namespace gannet::variants {

/// Beyond this a likelihood counts as this one, so that products with priors stay normal numbers.
inline constexpr int32_t k_max_phred = 2500;
/// 10^(-phred / 10); of 0 to k_max_phred, more reads as k_max_phred.
double probability_of_phred(int32_t phred);

/// -10 log10(p) x 2^20, within 3e-3 Phred for p of 10^-250 to 1/2; 0 for p >= 1. Of p = 0 that of 10^-300.
int64_t phred_fixed(double p);
/// -10 log10(1 - p) x 2^20 for p of 0 to 1/2, within 1e-6 Phred: the small probabilities that many samples
/// add up to.
int64_t phred_fixed_of_complement(double p);
inline constexpr int64_t k_phred_unit = int64_t{1} << 20;

}  // namespace gannet::variants
