// SPDX-License-Identifier: MIT
// Provides the part of a job's matrix that can matter, which is all that the vector and the device backends
// compute.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/banded_sw/banded_sw_group.hpp"

namespace gannet::kernels::banded_sw {

/// Rows, columns and diagonals -lower <= j - i <= upper that a reported extension can reach.
struct Shape {
    uint32_t highest_cost = 0;  ///< what a reported extension may cost at most (banded_sw_cell.hpp)
    uint32_t rows = 0;
    uint32_t columns = 0;
    uint32_t lower = 0;
    uint32_t upper = 0;
};

Shape shape_of(const BandedSwScoring& scoring, const BandedSwBatch& batch, size_t job);

/// CIGAR elements that a reported extension has at most: every gap costs, and pairs lie between gaps.
uint32_t most_elements(const BandedSwScoring& scoring, const Shape& shape);

Trace trace_of(uint8_t flags);

/// Traced groups with more direction bits than this go to the reference, job by job.
inline constexpr size_t k_most_direction_bytes = size_t{64} << 20;

}  // namespace gannet::kernels::banded_sw
