// SPDX-License-Identifier: MIT
// Provides the part of a job's matrix that can matter: the only part that the vector and device backends
// compute.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/banded_sw/banded_sw_lanes.hpp"

namespace gannet::kernels::banded_sw {

/// Rows, columns and diagonals -lower <= j - i <= upper that a reported extension can reach.
struct Shape {
    uint32_t highest_cost = 0;  ///< the most that a reported extension can cost (banded_sw_cell.hpp)
    uint32_t rows = 0;
    uint32_t columns = 0;
    uint32_t lower = 0;
    uint32_t upper = 0;
};

Shape shape_of(const BandedSwScoring& scoring, const BandedSwBatch& batch, size_t job);

/// The maximum of CIGAR elements of a reported extension: every gap costs, and there are pairs between gaps.
uint32_t max_elements(const BandedSwScoring& scoring, const Shape& shape);

Trace trace_of(uint8_t flags);

/// Traced groups with more direction bits than this go to the reference, job by job.
inline constexpr size_t k_max_direction_bytes = size_t{64} << 20;

}  // namespace gannet::kernels::banded_sw
