// SPDX-License-Identifier: MIT
// Provides the walk back over the direction bits of one job of a lane group.
#pragma once

#include <cstdint>
#include <vector>

namespace gannet::kernels::banded_sw {

/// Where a job's direction bits lie: the byte of cell (i, j) is at base + (i - 1) * row_bytes + (j - i +
/// lower) * cell_bytes, for i, j >= 1.
struct DirectionView {
    const uint8_t* base;
    int64_t row_bytes;
    int64_t cell_bytes;
    int64_t lower;
    bool gaps_late;
};

/// Appends the BAM elements of the path to (i, j), from there back to the corner.
void trace_back(const DirectionView& view, uint32_t i, uint32_t j, std::vector<uint32_t>& cigar);

}  // namespace gannet::kernels::banded_sw
