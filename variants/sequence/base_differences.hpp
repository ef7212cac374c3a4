// SPDX-License-Identifier: MIT
// Provides the walk over the bases that differ between two sequences.
#pragma once

#include "data/sequence.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gannet::variants {

/// Calls take(k) for each k in [0, count) where the bases differ.
template <class Function>
void for_each_difference(const data::Base* bases, const data::Base* expected, size_t count, Function&& take) {
    const auto compare = [&](size_t k) {
        if (bases[k] != expected[k]) take(k);
    };
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {  // eight bases at a time: most reads agree with the reference
        uint64_t a, b;
        std::memcpy(&a, bases + i, 8);
        std::memcpy(&b, expected + i, 8);
        if (a == b) continue;
        for (size_t k = i; k < i + 8; ++k) compare(k);
    }
    for (; i < count; ++i) compare(i);
}

}  // namespace gannet::variants
