// SPDX-License-Identifier: MIT
// Provides the device schedule of the op rescue in two steps. In the first a warp takes a window, and its
// lanes take diagonals. In the second a warp takes 32 windows, and each lane compares the read of its own
// with what the first step found there.
//
// Phases and the Warp are those of the search for candidates (candidates_schedule.hpp), whose lanes have the
// bits of the comparison.
#pragma once

#include "kernels/candidates/candidates_schedule.hpp"
#include "kernels/rescue/rescue_cell.hpp"
#include "kernels/rescue/rescue_warps.hpp"

namespace gannet::kernels::rescue {

constexpr bool is_better(uint32_t value, int64_t diagonal, uint32_t than_value, int64_t than_diagonal) {
    return value != than_value ? value > than_value : value != 0 && diagonal < than_diagonal;
}

template <class Warp>
constexpr void search_window(const Warp& warp, const RescueArrays& arrays, SearchShared& shared,
                             uint32_t index) {
    const RescueWindow window = arrays.windows[index];
    const uint32_t length = arrays.reads.length[window.read];
    const GenomeInterval range = searched(arrays.genome, window, length);
    const uint64_t* const read = arrays.reads.words(window.read, window.strand);
    warp.each([&](uint32_t lane) {
        int64_t found = -1;
        uint32_t highest = 0;
        for (int64_t diagonal = range.begin + lane; diagonal < range.end; diagonal += k_warp_lanes) {
            const uint32_t value = value_of(arrays.genome, read, length / 32, diagonal);
            if (value <= highest) continue;
            highest = value;
            found = diagonal;
        }
        shared.diagonal[lane] = found;
        shared.value[lane] = highest;
    });
    warp.each([&](uint32_t lane) {
        if (lane != 0) return;
        uint32_t best = 0;
        for (uint32_t other = 1; other < k_warp_lanes; ++other) {
            if (is_better(shared.value[other], shared.diagonal[other], shared.value[best],
                          shared.diagonal[best]))
                best = other;
        }
        arrays.diagonals[index] = shared.diagonal[best];
    });
}

/// Windows [first, first + 32), as far as there are so many.
template <class Warp>
constexpr void compare_windows(const Warp& warp, const RescueArrays& arrays, CompareShared& shared,
                               uint32_t first) {
    warp.each([&](uint32_t lane) {
        const uint32_t index = first + lane;
        if (index >= arrays.count) return;
        Candidate found;
        const RescueWindow window = arrays.windows[index];
        if (arrays.diagonals[index] >= 0 && candidates::fits_warp(arrays.reads.length[window.read], 0)) {
            candidates::LaneBits bits(shared, lane);
            found.diagonal = arrays.diagonals[index];
            found.strand = static_cast<uint8_t>(window.strand);
            if (!candidates::compare(arrays.genome, arrays.parameters,
                                     candidates::single_read(arrays.reads, window.read), bits, found))
                found = {};
        }
        arrays.candidates[index] = found;
    });
}

}  // namespace gannet::kernels::rescue
