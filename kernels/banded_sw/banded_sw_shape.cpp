// SPDX-License-Identifier: MIT
// Provides the part of a job's matrix that can matter.
#include "kernels/banded_sw/banded_sw_shape.hpp"

#include <algorithm>

namespace gannet::kernels::banded_sw {

Shape shape_of(const BandedSwScoring& scoring, const BandedSwBatch& batch, size_t job) {
    const auto open = static_cast<uint32_t>(scoring.gap_open);
    const auto remove = static_cast<uint32_t>(scoring.gap_extend);
    const auto match = static_cast<uint32_t>(scoring.match);
    const uint32_t query = batch.query_length[job];
    const uint32_t target = batch.target_length[job];
    Shape shape;
    shape.highest_cost = match * query + static_cast<uint32_t>(scoring.end_bonus);
    const uint32_t for_gaps = shape.highest_cost - std::min(open, shape.highest_cost);
    shape.lower = std::min({uint32_t{batch.band[job]}, for_gaps / (match + remove), query});
    shape.upper = std::min({uint32_t{batch.band[job]}, for_gaps / remove, target});
    shape.columns = std::min(target, query + shape.upper);
    shape.rows = std::min(query, shape.columns + shape.lower);
    return shape;
}

uint32_t max_elements(const BandedSwScoring& scoring, const Shape& shape) {
    const uint32_t gaps = shape.highest_cost / static_cast<uint32_t>(scoring.gap_open + scoring.gap_extend);
    return std::min(2 * gaps + 1, shape.rows + shape.columns);
}

Trace trace_of(uint8_t flags) {
    if ((flags & k_sw_traceback) == 0) return Trace::none;
    return flags & k_sw_gaps_late ? Trace::late : Trace::near;
}

}  // namespace gannet::kernels::banded_sw
