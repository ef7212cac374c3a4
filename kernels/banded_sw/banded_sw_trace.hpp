// SPDX-License-Identifier: MIT
// Provides the walk back over the direction bits of one job of a lane group.
#pragma once

#include "kernels/banded_sw/banded_sw_schedule.hpp"

#include <cstdint>
#include <vector>

namespace gannet::kernels::banded_sw {

/// Direction bits of the CPU's vectors: a byte a cell, i, j >= 1.
struct ByteDirections {
    const uint8_t* base;
    int64_t row_bytes;
    int64_t cell_bytes;
    int64_t lower;

    uint32_t bits(int64_t i, int64_t j) const {
        return base[(i - 1) * row_bytes + (j - i + lower) * cell_bytes];
    }
};

/// Direction bits of the device schedule (direction_words).
struct StripDirections {
    const uint32_t* base;
    int64_t word_stride;
    int64_t lower;
    int64_t upper;

    uint32_t bits(int64_t i, int64_t j) const {
        const int64_t strip = (i - 1) / k_strip_rows;
        const int64_t word = strip * strip_width(lower, upper) + j - (strip * k_strip_rows + 1 - lower);
        return base[word * word_stride] >> 4 * ((i - 1) % k_strip_rows) & 0xf;
    }
};

/// Appends the BAM elements of the path to (i, j), from there back to the corner.
template <class Directions>
void trace_back(const Directions& directions, bool gaps_late, uint32_t i, uint32_t j,
                std::vector<uint32_t>& cigar);

}  // namespace gannet::kernels::banded_sw
