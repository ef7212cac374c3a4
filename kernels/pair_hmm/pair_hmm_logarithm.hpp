// SPDX-License-Identifier: MIT
// Provides the last step of the op pair_hmm: the fixed-point log10 of a total, by integer arithmetic only.
#pragma once

#include "kernels/pair_hmm/pair_hmm.hpp"
#include "kernels/pair_hmm/pair_hmm_cell.hpp"

#include <bit>
#include <cstdint>

namespace gannet::kernels::pair_hmm {

/// log10(mantissa / 2^31 * 2^exponent) in units of 1 / k_pair_hmm_scale, rounded; mantissa in [2^31, 2^32).
/// The bits of log2 come out one by one as the mantissa is squared (Knuth, The Art of Computer Programming
/// 1, 1.2.2, exercise 28); the error is below 2^-7 of a unit.
constexpr int32_t fixed_log10(uint32_t mantissa, int exponent) {
    constexpr int fraction_bits = 24;
    constexpr int64_t log10_of_2 = 40403562;  // * 2^27
    int64_t log2 = exponent;
    uint64_t x = mantissa;
    for (int i = 0; i < fraction_bits; ++i) {
        const uint64_t square = x * x;
        const uint64_t bit = square >> 63;
        x = square >> (31 + bit);
        log2 = 2 * log2 + static_cast<int64_t>(bit);
    }
    constexpr int shift = fraction_bits + 27 - k_pair_hmm_scale_bits;
    return static_cast<int32_t>((log2 * log10_of_2 + (int64_t{1} << (shift - 1))) >> shift);
}

/// The likelihood of a total of the scaled recurrence; `total` is positive and normal.
constexpr int32_t likelihood_of_total(float total) {
    const auto bits = std::bit_cast<uint32_t>(total);
    return fixed_log10((bits << 8) | 0x80000000U,
                       static_cast<int>(bits >> 23) - 127 - Law<float>::scale_exponent);
}

constexpr int32_t likelihood_of_total(double total) {
    const auto bits = std::bit_cast<uint64_t>(total);
    const auto mantissa = static_cast<uint32_t>(bits >> 21) | 0x80000000U;
    const int32_t value =
        fixed_log10(mantissa, static_cast<int>(bits >> 52) - 1023 - Law<double>::scale_exponent);
    return value > k_pair_hmm_floor ? value : k_pair_hmm_floor;
}

}  // namespace gannet::kernels::pair_hmm
