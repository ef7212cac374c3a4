// SPDX-License-Identifier: MIT
// Provides the walk over the bases that differ between two sequences.
#pragma once

#include "data/sequence.hpp"
#include "data/sixteen_bases.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace gannet::variants {

/// Calls take(k) for each k in [0, count) where the bases differ, in order. Sixteen are compared at a time:
/// most reads agree with the reference.
template <class Function>
void for_each_difference(const data::Base* bases, const data::Base* expected, size_t count, Function&& take) {
    using data::sixteen_bases::k_at_once;
    using data::sixteen_bases::load;
    const auto differing_from = [&](size_t i) {
        const __m128i equal = _mm_cmpeq_epi8(load(bases + i), load(expected + i));
        return static_cast<uint32_t>(_mm_movemask_epi8(equal)) ^ 0xffffu;
    };
    const auto take_all = [&](size_t first, uint32_t differing) {
        for (; differing != 0; differing &= differing - 1)
            take(first + static_cast<size_t>(std::countr_zero(differing)));
    };
    size_t i = 0;
    for (; i + k_at_once <= count; i += k_at_once) take_all(i, differing_from(i));
    if (i == count) return;
    if (i == 0) {
        for (; i < count; ++i)
            if (bases[i] != expected[i]) take(i);
        return;
    }
    // The last sixteen, without those that were compared already.
    const size_t last = count - k_at_once;
    take_all(i, differing_from(last) >> (i - last));
}

}  // namespace gannet::variants
