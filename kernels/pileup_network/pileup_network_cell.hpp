// SPDX-License-Identifier: MIT
// Provides the integer arithmetic of pileup_network that the contract lays down, once: requantisation and
// pooling.
//
// Bounds: inputs of a layer are at most 1152 (site1: 6 * 128 + 384), so a sum is within 1152 * 63 * 255 +
// 2^24 < 2^26; times a multiplier below 2^15 it is within 2^41.
#pragma once

#include <cstdint>

namespace gannet::kernels::pileup {

inline constexpr int32_t k_max_output = 1 << 24;

/// The pool of a row by its first feature: 0 the allele's, 1 the reference's, 2 the others'.
constexpr uint32_t pool_of(uint8_t first_feature) {
    return first_feature >= 192 ? 0 : first_feature >= 64 ? 1 : 2;
}

/// A layer's sum in the scale of what follows, rounded half up.
constexpr int64_t requantised(int32_t sum, int32_t multiplier, int32_t shift) {
    return (int64_t{sum} * multiplier + (int64_t{1} << (shift - 1))) >> shift;
}

constexpr uint8_t activation(int32_t sum, int32_t multiplier, int32_t shift) {
    const int64_t value = requantised(sum, multiplier, shift);
    return static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

constexpr int32_t output_value(int32_t sum, int32_t multiplier, int32_t shift) {
    const int64_t value = requantised(sum, multiplier, shift);
    return static_cast<int32_t>(value < -k_max_output  ? -k_max_output
                                : value > k_max_output ? k_max_output
                                                       : value);
}

/// 2^16 / n to the nearest; 0 for an empty pool, whose mean is 0.
constexpr uint32_t reciprocal(uint32_t n) { return n == 0 ? 0 : (65536 + n / 2) / n; }

/// At most 255: the reciprocal's error is less than half of 2^-16, and a sum is at most 48 * 255.
constexpr uint8_t mean(uint32_t sum, uint32_t reciprocal_of_n) {
    return static_cast<uint8_t>((sum * reciprocal_of_n + (1U << 15)) >> 16);
}

}  // namespace gannet::kernels::pileup
