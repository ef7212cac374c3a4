// SPDX-License-Identifier: MIT
// Provides the backend `simd` of banded_sw for one instruction set: one job a lane, row by row of the query.
//
// Compiled once per ISA: everything is in the namespace of the ISA and nothing of the standard library is
// instantiated.
#include "kernels/banded_sw/banded_sw_cell.hpp"
#include "kernels/banded_sw/banded_sw_codes.hpp"
#include "kernels/banded_sw/banded_sw_group.hpp"
#include "kernels/banded_sw/banded_sw_lanes.hpp"

namespace gannet::kernels::GANNET_ISA {

using banded_sw::CellCosts;
using banded_sw::enter_cell;
using banded_sw::GapCosts;
using banded_sw::LaneGroup;
using banded_sw::next_deletion;
using banded_sw::next_insertion;
using banded_sw::Trace;

/// The group in work: its vectors, and what does not change from row to row.
template <class Lane>
struct Sweep {
    LaneGroup& group;
    Lane* query;
    Lane* target;
    Lane* best;       ///< costs of column j in the row above, overwritten by the row in work
    Lane* insertion;  ///< costs of reaching column j of the row in work by I
    Lane* mask;       ///< by diagonal + lower: all ones in lanes whose band ends before
    Lane* directions;
    GapCosts<Lane> costs;
    Vector substitution_table;
    Lane row_limit;   ///< rows of each job
    Lane best_score;  ///< of the rows so far, 0 for the empty extension
    Lane best_row;
};

/// What runs along a row.
template <class Lane>
struct RowState {
    Lane diagonal;
    Lane deletion;
    Lane lowest;
};

template <class Lane, Trace trace>
inline Lane direction_bits(const GapCosts<Lane>& costs, const CellCosts<Lane>& cell, Lane insertion,
                           Lane deletion) {
    const auto bit = [](Lane mask, uint8_t value) { return both(mask, broadcast(Lane{}, value)); };
    const Lane opened_i = plus(cell.best, costs.open);
    const Lane opened_d = plus(cell.without_deletion, costs.open);
    constexpr bool near = trace == Trace::near;
    const Lane first = equal(cell.best, near ? cell.by_match : deletion);
    const Lane gap_i = equal(lesser(opened_i, insertion), near ? opened_i : insertion);
    const Lane gap_d = equal(lesser(opened_d, deletion), near ? opened_d : deletion);
    return either(either(bit(first, banded_sw::k_direction_first),
                         bit(equal(cell.best, insertion), banded_sw::k_direction_insertion)),
                  either(bit(gap_i, banded_sw::k_direction_gap_i), bit(gap_d, banded_sw::k_direction_gap_d)));
}

/// Columns [begin, end) of a row, j >= 1; `first` is the column of diagonal -lower.
template <class Lane, Trace trace, bool masked>
inline void sweep_columns(const Sweep<Lane>& sweep, Lane query, int32_t begin, int32_t end, int32_t first,
                          Lane* directions, RowState<Lane>& row) {
    const GapCosts<Lane> costs = sweep.costs;
    const Vector table = sweep.substitution_table;
    Lane* const best = sweep.best;
    Lane* const insertions = sweep.insertion;
    const Lane* const target = sweep.target - 1;
    Lane diagonal = row.diagonal;
    Lane deletion = row.deletion;
    Lane lowest = row.lowest;
    for (int32_t j = begin; j < end; ++j) {
        const Lane substitution{lookup(table, xor_bits(query.v, target[j].v))};
        const Lane insertion = insertions[j];
        CellCosts<Lane> cell = enter_cell(diagonal, substitution, insertion, deletion);
        if constexpr (masked) {
            cell.without_deletion = either(cell.without_deletion, sweep.mask[j - first]);
            cell.best = either(cell.best, sweep.mask[j - first]);
        }
        if constexpr (trace != Trace::none) {
            directions[j - first] = direction_bits<Lane, trace>(costs, cell, insertion, deletion);
        }
        diagonal = best[j];
        best[j] = cell.best;
        insertions[j] = next_insertion(costs, cell.best, insertion);
        deletion = next_deletion(costs, cell.without_deletion, deletion);
        lowest = lesser(lowest, cell.best);
    }
    row = {diagonal, deletion, lowest};
}

/// For each lane in `wanted`, the leftmost column of [begin, end] whose cost equals the lane's of `cost`.
template <class Lane>
inline void find_columns(const Sweep<Lane>& sweep, Lane cost, uint64_t wanted, int32_t begin, int32_t end,
                         uint32_t* column) {
    for (int32_t j = begin; j <= end && wanted != 0; ++j) {
        uint64_t found = lane_mask(equal(sweep.best[j], cost)) & wanted;
        wanted &= ~found;
        for (; found != 0; found &= found - 1) column[__builtin_ctzll(found)] = static_cast<uint32_t>(j);
    }
}

template <class Lane>
inline void store_elements(Lane values, uint32_t* to) {
    alignas(64) typename Lane::Element elements[Lane::k_lanes];
    store_vector(elements, values.v);
    for (uint32_t lane = 0; lane < Lane::k_lanes; ++lane) to[lane] = elements[lane];
}

/// Takes the row's lowest costs: better scores than those of the rows above, and ends of jobs that have no
/// further row.
template <class Lane>
inline void close_row(Sweep<Lane>& sweep, int32_t i, int32_t begin, int32_t end, Lane lowest) {
    LaneGroup& group = sweep.group;
    const Lane row = broadcast(Lane{}, static_cast<uint32_t>(i));
    const Lane perfect = broadcast(Lane{}, static_cast<uint32_t>(i) * group.match);
    const Lane active = equal(lesser(row, sweep.row_limit), row);
    const Lane score = both(minus(perfect, lowest), active);
    const Lane stays = equal(lesser(score, sweep.best_score), score);
    const uint64_t all = lane_mask(equal(row, row));
    const uint64_t improved = all & ~lane_mask(stays);
    if (improved != 0) {
        sweep.best_score = select(stays, sweep.best_score, score);
        sweep.best_row = select(stays, sweep.best_row, row);
        find_columns(sweep, lowest, improved, begin, end, group.best_column);
    }
    const uint64_t ending = lane_mask(equal(row, sweep.row_limit));
    if (ending != 0) {
        find_columns(sweep, lowest, ending, begin, end, group.end_column);
        uint32_t costs[Lane::k_lanes];
        store_elements(lowest, costs);
        for (uint64_t lanes = ending; lanes != 0; lanes &= lanes - 1) {
            group.end_cost[__builtin_ctzll(lanes)] = costs[__builtin_ctzll(lanes)];
        }
    }
}

template <class Lane>
inline void begin_sweep(Sweep<Lane>& sweep) {
    LaneGroup& group = sweep.group;
    const Lane none = broadcast(Lane{}, 0xffff);
    Lane gap = sweep.costs.open;
    sweep.best[0] = broadcast(Lane{}, 0);
    for (uint32_t j = 1; j <= group.most_columns; ++j) {
        gap = plus(gap, sweep.costs.remove);
        sweep.best[j] = j <= group.upper ? gap : none;
    }
    for (uint32_t j = 0; j <= group.most_columns; ++j) sweep.insertion[j] = none;
    if (group.narrowest_band >= group.lower && group.narrowest_band >= group.upper) return;
    alignas(64) typename Lane::Element mask[Lane::k_lanes];
    for (uint32_t d = 0; d <= group.lower + group.upper; ++d) {
        const uint32_t diagonal = d < group.lower ? group.lower - d : d - group.lower;
        for (uint32_t lane = 0; lane < Lane::k_lanes; ++lane) {
            const bool outside = lane < group.lanes && diagonal > group.band[lane];
            mask[lane] = static_cast<typename Lane::Element>(outside ? 0xffff : 0);
        }
        sweep.mask[d] = load<Lane>(mask);
    }
    for (uint32_t j = 1; j <= group.upper && j <= group.most_columns; ++j) {
        sweep.best[j] = either(sweep.best[j], sweep.mask[j + group.lower]);
    }
}

template <class Lane, Trace trace>
inline void sweep_rows(Sweep<Lane>& sweep) {
    LaneGroup& group = sweep.group;
    const auto lower = static_cast<int32_t>(group.lower);
    const auto upper = static_cast<int32_t>(group.upper);
    const auto columns = static_cast<int32_t>(group.most_columns);
    const auto narrowest = static_cast<int32_t>(group.narrowest_band);
    const bool masked = narrowest < lower || narrowest < upper;
    const Lane none = broadcast(Lane{}, 0xffff);
    Lane edge = sweep.costs.open;
    for (int32_t i = 1; i <= static_cast<int32_t>(group.most_rows); ++i) {
        const int32_t first = i - lower;
        const int32_t begin = first > 1 ? first : 1;
        const int32_t end = (i + upper < columns ? i + upper : columns) + 1;
        RowState<Lane> row{sweep.best[begin - 1], none, none};
        if (first <= 0) {
            edge = plus(edge, sweep.costs.insert);
            if (masked) edge = either(edge, sweep.mask[-first]);
            sweep.best[0] = edge;
            row.lowest = edge;
            row.deletion = next_deletion(sweep.costs, edge, none);
        }
        const Lane query = sweep.query[i - 1];
        Lane* const directions =
            sweep.directions + static_cast<size_t>(i - 1) * (group.lower + group.upper + 1);
        if (masked) {
            const int32_t inner_begin =
                i - narrowest < begin ? begin : (i - narrowest < end ? i - narrowest : end);
            const int32_t inner_end = i + narrowest + 1 < end ? i + narrowest + 1 : end;
            sweep_columns<Lane, trace, true>(sweep, query, begin, inner_begin, first, directions, row);
            sweep_columns<Lane, trace, false>(sweep, query, inner_begin, inner_end, first, directions, row);
            const int32_t outer_begin = inner_end > inner_begin ? inner_end : inner_begin;
            sweep_columns<Lane, trace, true>(sweep, query, outer_begin, end, first, directions, row);
        } else {
            sweep_columns<Lane, trace, false>(sweep, query, begin, end, first, directions, row);
        }
        close_row(sweep, i, first <= 0 ? 0 : begin, end - 1, row.lowest);
    }
}

inline Vector substitution_table(Bytes, const LaneGroup& group) {
    const auto mismatch = static_cast<char>(group.cost_mismatch);
    constexpr char k_none = -1;
    return repeat(_mm_setr_epi8(0, mismatch, mismatch, mismatch, k_none, k_none, k_none, k_none, k_none,
                                k_none, k_none, k_none, k_none, k_none, k_none, k_none));
}

inline Vector substitution_table(Words, const LaneGroup& group) {
    const auto mismatch = static_cast<char>(group.cost_mismatch);
    const auto n = static_cast<char>(group.cost_ambiguous);
    constexpr char k_none = -1;
    return repeat(
        _mm_setr_epi8(0, mismatch, mismatch, mismatch, n, n, n, n, n, n, n, n, n, k_none, k_none, k_none));
}

template <class Lane>
inline void extend_group(LaneGroup& group) {
    auto* next = reinterpret_cast<Lane*>(group.scratch);
    const auto take = [&next](size_t vectors) {
        Lane* const taken = next;
        next += vectors;
        return taken;
    };
    const size_t rows = banded_sw::padded(group.most_rows);
    const size_t columns = banded_sw::padded(group.most_columns);
    Lane* const query = take(rows);
    Lane* const target = take(columns);
    Lane* const best = take(group.most_columns + 2);
    Lane* const insertion = take(group.most_columns + 2);
    Lane* const mask = take(group.lower + group.upper + 1);
    auto* const codes = reinterpret_cast<uint8_t*>(take(rows > columns ? rows : columns));

    const Lane zero = broadcast(Lane{}, 0);
    alignas(64) typename Lane::Element limits[Lane::k_lanes];
    for (uint32_t lane = 0; lane < Lane::k_lanes; ++lane) {
        limits[lane] = lane < group.lanes ? static_cast<typename Lane::Element>(group.rows[lane]) : 0;
    }
    Sweep<Lane> sweep{group,
                      query,
                      target,
                      best,
                      insertion,
                      mask,
                      reinterpret_cast<Lane*>(group.directions),
                      {broadcast(Lane{}, group.cost_open), broadcast(Lane{}, group.cost_insert),
                       broadcast(Lane{}, group.cost_remove)},
                      substitution_table(Lane{}, group),
                      load<Lane>(limits),
                      zero,
                      zero};
    const Sequences queries{group.bases, group.bases_bytes, group.query_offset,
                            group.rows,  group.lanes,       k_query_padding};
    const Sequences targets{group.bases,   group.bases_bytes, group.target_offset,
                            group.columns, group.lanes,       k_target_padding};
    group.ambiguous = lay_out(Lane{}, queries, rows, codes, reinterpret_cast<uint8_t*>(query));
    group.ambiguous |= lay_out(Lane{}, targets, columns, codes, reinterpret_cast<uint8_t*>(target));

    begin_sweep(sweep);
    if (group.trace == Trace::none) sweep_rows<Lane, Trace::none>(sweep);
    if (group.trace == Trace::near) sweep_rows<Lane, Trace::near>(sweep);
    if (group.trace == Trace::late) sweep_rows<Lane, Trace::late>(sweep);
    store_elements(sweep.best_score, group.best_score);
    store_elements(sweep.best_row, group.best_row);
}

static void extend_bytes(LaneGroup& group) { extend_group<Bytes>(group); }
static void extend_words(LaneGroup& group) { extend_group<Words>(group); }

const banded_sw::LaneFunctions k_banded_sw_lanes{Bytes::k_lanes, extend_bytes, extend_words};

}  // namespace gannet::kernels::GANNET_ISA
