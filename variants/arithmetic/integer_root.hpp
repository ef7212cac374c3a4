// SPDX-License-Identifier: MIT
// Provides the square root of integers, rounded to nearest.
#pragma once

#include <cstdint>

namespace gannet::variants {

/// For small values: linear in the root.
constexpr int64_t integer_root(int64_t square) {
    int64_t root = 0;
    while ((root + 1) * (root + 1) <= square) ++root;
    return square - root * root > root ? root + 1 : root;
}

}  // namespace gannet::variants
