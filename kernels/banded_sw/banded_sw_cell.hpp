// SPDX-License-Identifier: MIT
// Provides the recurrence of banded_sw, written once for every lane type, on host and device.
//
// The vector backends minimise costs instead of maximising scores: C(i, j) = match * i - H(i, j), what a path
// has lost against a query that matches throughout. Every step costs 0 or more:
//   match 0; mismatch match + mismatch; ambiguous match + ambiguous; open gap_open; insert match + gap_extend
//   per base; remove gap_extend per base,
// so costs only grow along a path, and unsigned saturating lanes are exact: an extension that is reported has
// H >= 0, or reaches the query's end with H + end_bonus >= 0, hence a cost of at most L = match *
// query_length + end_bonus, and so has every cell on its way. Where L is below the highest value of a
// lane, a cell that saturates cannot be on a best path, and cannot tie with one. The same bound limits gaps:
// an insertion of g bases costs gap_open + g * insert <= L, a deletion likewise, so that diagonals further
// out are left out without changing a result (shape_of() in banded_sw_shape.hpp).
#pragma once

#include <cstdint>

namespace gannet::kernels::banded_sw {

/// Gap costs in every lane. A lane type has plus (saturating) and lesser, found by its namespace.
template <class Lane>
struct GapCosts {
    Lane open;
    Lane insert;
    Lane remove;
};

/// Costs of a cell: by M alone, of the best of M, I and D, and of a gap that opens after it, without the
/// cost of its bases.
template <class Lane>
struct CellCosts {
    Lane by_match;
    Lane best;
    Lane opened;
};

template <class Lane>
constexpr CellCosts<Lane> enter_cell(const GapCosts<Lane>& costs, Lane diagonal, Lane substitution,
                                     Lane insertion, Lane deletion) {
    const Lane by_match = plus(diagonal, substitution);
    const Lane best = lesser(lesser(by_match, insertion), deletion);
    return {by_match, best, plus(best, costs.open)};
}

/// Cost of the cell below, reached by I: `insertion` is this cell's own.
template <class Lane>
constexpr Lane next_insertion(const GapCosts<Lane>& costs, Lane opened, Lane insertion) {
    return plus(lesser(insertion, opened), costs.insert);
}

/// Cost of the cell to the right, reached by D: `deletion` is this cell's own.
template <class Lane>
constexpr Lane next_deletion(const GapCosts<Lane>& costs, Lane opened, Lane deletion) {
    return plus(lesser(deletion, opened), costs.remove);
}

/// What traceback needs of a cell, as bits. Which question the first and the last two answer depends on the
/// order of ties: gaps near the corner: M reaches the best; closing is at least as good as lengthening. Gaps
/// late: D reaches the best; lengthening is at least as good as closing.
inline constexpr uint8_t k_direction_first = 1;
inline constexpr uint8_t k_direction_insertion = 2;
inline constexpr uint8_t k_direction_gap_i = 4;  ///< about the insertion that leaves the cell downwards
inline constexpr uint8_t k_direction_gap_d = 8;  ///< about the deletion that leaves the cell to the right

}  // namespace gannet::kernels::banded_sw
