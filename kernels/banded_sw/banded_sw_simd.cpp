// SPDX-License-Identifier: MIT
// Provides the backend `simd` of banded_sw for one instruction set: one job per lane, row by row of the
// query.
//
// Compiled once per ISA: everything is in the namespace of the ISA and nothing of the standard library is
// instantiated.
#include "kernels/banded_sw/banded_sw_cell.hpp"
#include "kernels/banded_sw/banded_sw_codes.hpp"
#include "kernels/banded_sw/banded_sw_lanes.hpp"
#include "kernels/simd/integer_lanes.hpp"

namespace gannet::kernels::GANNET_ISA {

using banded_sw::CellCosts;
using banded_sw::enter_cell;
using banded_sw::GapCosts;
using banded_sw::LaneGroup;
using banded_sw::next_deletion;
using banded_sw::next_insertion;
using banded_sw::Trace;

inline constexpr uint32_t k_no_limit = 0xffff;

/// What a column passes from row to row.
template <class Lane>
struct Column {
    Lane best;       ///< cost of the cell in the row above
    Lane insertion;  ///< cost of reaching the cell of the current row by I
};

/// The group's vectors and constants. Loops work on copies, which the compiler can keep in registers.
template <class Lane>
struct Plan {
    const Lane* query;
    const Lane* target;
    Column<Lane>* columns;
    Lane* upper_best;  ///< best costs of the upper row of a pair; those of the lower one are in `columns`
    Lane* mask;        ///< by diagonal + lower: all ones in lanes whose band ends before
    Lane* directions;
    int32_t lower;
    int32_t upper;
    int32_t last_column;
    int32_t narrowest;  ///< diagonals up to this need no mask
    GapCosts<Lane> costs;
    Vector substitution_table;
};

template <class Lane>
struct Sweep {
    LaneGroup& group;
    Plan<Lane> plan;
    Lane row_limit;   ///< rows of each job
    Lane best_score;  ///< of the rows so far, 0 for the empty extension
    Lane best_row;
    Lane best_diagonal;  ///< counted from -lower
    Lane edge;           ///< cost of column 0 in the latest row
};

/// The state that moves along a row.
template <class Lane>
struct Row {
    int32_t i = 0;
    int32_t begin = 0;  ///< columns [begin, end), begin >= 1
    int32_t end = 0;
    Lane query;
    Lane diagonal;  ///< best of the cell above and to the left of the next one
    Lane deletion;  ///< cost of reaching the next cell by D
    Lane lowest;    ///< best of all cells so far
};

template <class Lane, Trace trace>
inline Lane direction_bits(const CellCosts<Lane>& cell, Lane insertion, Lane deletion) {
    const auto bit = [](Lane mask, uint8_t value) { return both(mask, broadcast(Lane{}, value)); };
    constexpr bool near = trace == Trace::near;
    const Lane first = equal(cell.best, near ? cell.by_match : deletion);
    const Lane gap_i = equal(lesser(cell.opened, insertion), near ? cell.opened : insertion);
    const Lane gap_d = equal(lesser(cell.opened, deletion), near ? cell.opened : deletion);
    return either(either(bit(first, banded_sw::k_direction_first),
                         bit(equal(cell.best, insertion), banded_sw::k_direction_insertion)),
                  either(bit(gap_i, banded_sw::k_direction_gap_i), bit(gap_d, banded_sw::k_direction_gap_d)));
}

/// One cell: takes `above` and `insertion` of its column, gives its best cost, and the insertion for the cell
/// below. `mask` and `direction` are not used where there is none.
template <class Lane, Trace trace, bool masked>
[[gnu::always_inline]] inline Lane sweep_cell(const GapCosts<Lane>& costs, Lane substitution, Lane above,
                                              Lane& insertion, Lane& diagonal, Lane& deletion, Lane& lowest,
                                              const Lane* mask, Lane* direction) {
    CellCosts<Lane> cell = enter_cell(costs, diagonal, substitution, insertion, deletion);
    if constexpr (masked) {
        cell.best = either(cell.best, *mask);
        cell.opened = either(cell.opened, *mask);
    }
    if constexpr (trace != Trace::none) *direction = direction_bits<Lane, trace>(cell, insertion, deletion);
    diagonal = above;
    lowest = lesser(lowest, cell.best);
    insertion = next_insertion(costs, cell.opened, insertion);
    deletion = next_deletion(costs, cell.opened, deletion);
    return cell.best;
}

/// Where the directions of column 0 of row i would be.
template <class Lane>
inline Lane* row_directions(const Plan<Lane>& plan, int32_t i) {
    return plan.directions + int64_t{i - 1} * (plan.lower + plan.upper + 1) + (plan.lower - i);
}

/// Columns [begin, end) of one row. The state is kept in local variables here and in sweep_two, because
/// GCC keeps members of a struct in memory.
template <class Lane, Trace trace, bool masked>
inline void sweep_one(const Plan<Lane>& plan, Row<Lane>& row, int32_t begin, int32_t end) {
    const GapCosts<Lane> costs{plan.costs.open, plan.costs.insert, plan.costs.remove};
    const Vector table = plan.substitution_table;
    const Vector query = row.query.v;
    const Lane* const target = plan.target - 1;
    const Lane* const mask = plan.mask + (plan.lower - row.i);
    Lane* const directions = trace == Trace::none ? nullptr : row_directions(plan, row.i);
    Column<Lane>* const columns = plan.columns;
    Lane diagonal{row.diagonal.v};
    Lane deletion{row.deletion.v};
    Lane lowest{row.lowest.v};
    for (int32_t j = begin; j < end; ++j) {
        const Lane substitution{lookup(table, xor_bits(query, target[j].v))};
        Lane insertion{columns[j].insertion.v};
        const Lane above{columns[j].best.v};
        columns[j].best.v = sweep_cell<Lane, trace, masked>(costs, substitution, above, insertion, diagonal,
                                                            deletion, lowest, mask + j, directions + j)
                                .v;
        columns[j].insertion.v = insertion.v;
    }
    row.diagonal.v = diagonal.v;
    row.deletion.v = deletion.v;
    row.lowest.v = lowest.v;
}

/// Columns [begin, end) of two rows, one below the other: what passes between them stays in registers.
template <class Lane, Trace trace, bool masked>
inline void sweep_two(const Plan<Lane>& plan, Row<Lane>& upper, Row<Lane>& lower, int32_t begin,
                      int32_t end) {
    const GapCosts<Lane> costs{plan.costs.open, plan.costs.insert, plan.costs.remove};
    const Vector table = plan.substitution_table;
    const Vector upper_query = upper.query.v;
    const Vector lower_query = lower.query.v;
    const Lane* const target = plan.target - 1;
    const Lane* const upper_mask = plan.mask + (plan.lower - upper.i);
    const Lane* const lower_mask = upper_mask - 1;
    Lane* const upper_directions = trace == Trace::none ? nullptr : row_directions(plan, upper.i);
    Lane* const lower_directions = trace == Trace::none ? nullptr : row_directions(plan, lower.i);
    Column<Lane>* const columns = plan.columns;
    Lane* const upper_best = plan.upper_best;
    Lane upper_diagonal{upper.diagonal.v};
    Lane lower_diagonal{lower.diagonal.v};
    Lane upper_deletion{upper.deletion.v};
    Lane lower_deletion{lower.deletion.v};
    Lane upper_lowest{upper.lowest.v};
    Lane lower_lowest{lower.lowest.v};
    for (int32_t j = begin; j < end; ++j) {
        const Vector code = target[j].v;
        Lane insertion{columns[j].insertion.v};
        const Lane above{columns[j].best.v};
        const Lane between = sweep_cell<Lane, trace, masked>(
            costs, Lane{lookup(table, xor_bits(upper_query, code))}, above, insertion, upper_diagonal,
            upper_deletion, upper_lowest, upper_mask + j, upper_directions + j);
        upper_best[j].v = between.v;
        columns[j].best.v =
            sweep_cell<Lane, trace, masked>(costs, Lane{lookup(table, xor_bits(lower_query, code))}, between,
                                            insertion, lower_diagonal, lower_deletion, lower_lowest,
                                            lower_mask + j, lower_directions + j)
                .v;
        columns[j].insertion.v = insertion.v;
    }
    upper.diagonal.v = upper_diagonal.v;
    lower.diagonal.v = lower_diagonal.v;
    upper.deletion.v = upper_deletion.v;
    lower.deletion.v = lower_deletion.v;
    upper.lowest.v = upper_lowest.v;
    lower.lowest.v = lower_lowest.v;
}

/// Begins row i, including column 0; the row above is in the columns.
template <class Lane>
inline Row<Lane> begin_row(Sweep<Lane>& sweep, int32_t i) {
    const Plan<Lane>& plan = sweep.plan;
    const Lane none = broadcast(Lane{}, 0xffff);
    const int32_t first = i - plan.lower;
    const int32_t begin = first > 1 ? first : 1;
    const int32_t end = (i + plan.upper < plan.last_column ? i + plan.upper : plan.last_column) + 1;
    Row<Lane> row{i, begin, end, plan.query[i - 1], plan.columns[begin - 1].best, none, none};
    if (first > 0) return row;
    sweep.edge = plus(sweep.edge, plan.costs.insert);
    if (plan.narrowest < plan.lower) sweep.edge = either(sweep.edge, plan.mask[-first]);
    plan.columns[0].best = sweep.edge;
    row.lowest = sweep.edge;
    row.deletion = next_deletion(plan.costs, plus(sweep.edge, plan.costs.open), none);
    return row;
}

/// How far to the left of the main diagonal the lowest costs of `wanted` lanes can be: a cell g diagonals to
/// the left has g insertions before it, and costs at least as much as they do.
template <class Lane>
inline int32_t leftmost_diagonal(const Sweep<Lane>& sweep, Lane lowest, Lane wanted) {
    const LaneGroup& group = sweep.group;
    constexpr uint32_t k_max = static_cast<typename Lane::Element>(-1);
    int32_t left = 0;
    while (left < sweep.plan.lower) {
        const uint32_t cost = group.cost_open + group.cost_insert * (static_cast<uint32_t>(left) + 1);
        const Lane further = broadcast(Lane{}, cost < k_max ? cost : k_max);
        if (lane_mask(both(equal(lesser(lowest, further), further), wanted)) == 0) break;
        left = 2 * left + 1;
    }
    return left;
}

/// For each lane in `wanted` (all ones), the leftmost diagonal, counted from -lower, on which the row's cost
/// equals the lane's of row.lowest; 0 in other lanes. `best` is the row's costs, `stride` vectors from column
/// to column.
template <class Lane>
inline Lane find_diagonals(const Sweep<Lane>& sweep, const Row<Lane>& row, const Lane* best, int64_t stride,
                           Lane wanted) {
    const int32_t first = row.i <= sweep.plan.lower ? 0 : row.begin;
    const int32_t near = row.i - leftmost_diagonal(sweep, row.lowest, wanted);
    const int32_t offset = sweep.plan.lower - row.i;
    Lane found = broadcast(Lane{}, 0);
    for (int32_t j = near > first ? near : first; j < row.end; ++j) {
        const Lane here = both(equal(best[j * stride], row.lowest), wanted);
        found = either(found, both(here, broadcast(Lane{}, static_cast<uint32_t>(j + offset))));
        wanted = {and_not(here.v, wanted.v)};
        if (lane_mask(wanted) == 0) break;
    }
    return found;
}

template <class Lane>
inline void store_elements(Lane values, uint32_t* to) {
    alignas(64) typename Lane::Element elements[Lane::k_lanes];
    store_vector(elements, values.v);
    for (uint32_t lane = 0; lane < Lane::k_lanes; ++lane) to[lane] = elements[lane];
}

/// Better scores than those of the rows above.
template <class Lane>
inline void take_improved(Sweep<Lane>& sweep, const Row<Lane>& row, const Lane* best, int64_t stride) {
    const Lane zero = broadcast(Lane{}, 0);
    const Lane index = broadcast(Lane{}, static_cast<uint32_t>(row.i));
    const Lane perfect = broadcast(Lane{}, static_cast<uint32_t>(row.i) * sweep.group.match);
    const Lane active = equal(lesser(index, sweep.row_limit), index);
    const Lane gain = both(minus(minus(perfect, row.lowest), sweep.best_score), active);
    const Lane improved{and_not(equal(gain, zero).v, equal(zero, zero).v)};
    if (lane_mask(improved) == 0) return;
    sweep.best_score = plus(sweep.best_score, gain);
    sweep.best_row = select(improved, index, sweep.best_row);
    sweep.best_diagonal =
        select(improved, find_diagonals(sweep, row, best, stride, improved), sweep.best_diagonal);
}

/// Ends of jobs that have no further row, where the end bonus makes them at least as good as the best score.
template <class Lane>
inline void take_ends(Sweep<Lane>& sweep, const Row<Lane>& row, const Lane* best, int64_t stride) {
    LaneGroup& group = sweep.group;
    const Lane index = broadcast(Lane{}, static_cast<uint32_t>(row.i));
    const Lane ending = equal(index, sweep.row_limit);
    if (lane_mask(ending) == 0) return;
    const Lane perfect = broadcast(Lane{}, static_cast<uint32_t>(row.i) * group.match + group.end_bonus);
    const Lane most = minus(perfect, sweep.best_score);
    const Lane reached = both(ending, equal(lesser(row.lowest, most), row.lowest));
    uint64_t lanes = lane_mask(reached);
    if (lanes == 0) return;
    uint32_t diagonals[Lane::k_lanes];
    uint32_t costs[Lane::k_lanes];
    store_elements(find_diagonals(sweep, row, best, stride, reached), diagonals);
    store_elements(row.lowest, costs);
    for (; lanes != 0; lanes &= lanes - 1) {
        const int lane = __builtin_ctzll(lanes);
        group.reaches_end |= uint64_t{1} << lane;
        group.end_cost[lane] = costs[lane];
        group.end_diagonal[lane] = diagonals[lane];
    }
}

template <class Lane>
inline void close_row(Sweep<Lane>& sweep, const Row<Lane>& row, const Lane* best, int64_t stride) {
    take_improved(sweep, row, best, stride);
    take_ends(sweep, row, best, stride);
}

/// One value per lane, cut to what an element holds; `other` in lanes without a job.
template <class Lane>
inline Lane load_limits(const uint16_t* values, uint32_t lanes, uint32_t other) {
    constexpr uint32_t k_max = static_cast<typename Lane::Element>(-1);
    alignas(64) typename Lane::Element limits[Lane::k_lanes];
    for (uint32_t lane = 0; lane < Lane::k_lanes; ++lane) {
        const uint32_t value = lane < lanes ? values[lane] : other;
        limits[lane] = static_cast<typename Lane::Element>(value < k_max ? value : k_max);
    }
    return load<Lane>(limits);
}

/// The masks, where bands differ.
template <class Lane>
inline void make_masks(const Plan<Lane>& plan, const LaneGroup& group) {
    const Lane all = broadcast(Lane{}, 0xffff);
    const Lane band = load_limits<Lane>(group.band, group.lanes, k_no_limit);
    for (int32_t d = -plan.lower; d <= plan.upper; ++d) {
        const Lane distance = broadcast(Lane{}, static_cast<uint32_t>(d < 0 ? -d : d));
        const Lane inside = equal(lesser(distance, band), distance);
        plan.mask[d + plan.lower] = {and_not(inside.v, all.v)};
    }
}

/// Row 0: deletions, and the insertions that open after them.
template <class Lane>
inline void begin_sweep(Sweep<Lane>& sweep) {
    const Plan<Lane>& plan = sweep.plan;
    const Lane none = broadcast(Lane{}, 0xffff);
    const bool masked = plan.narrowest < plan.lower || plan.narrowest < plan.upper;
    if (masked) make_masks(plan, sweep.group);
    Lane gap = plan.costs.open;
    plan.columns[0] = {broadcast(Lane{}, 0), none};
    for (int32_t j = 1; j <= plan.last_column; ++j) {
        gap = plus(gap, plan.costs.remove);
        Lane best = j <= plan.upper ? gap : none;
        if (masked && j <= plan.upper) best = either(best, plan.mask[j + plan.lower]);
        plan.columns[j] = {best, next_insertion(plan.costs, plus(best, plan.costs.open), none)};
    }
}

inline int32_t clamp(int32_t value, int32_t low, int32_t high) {
    return value < low ? low : (value > high ? high : value);
}

/// One row; columns whose diagonal may need a mask apart from those in between.
template <class Lane, Trace trace>
inline void sweep_row(const Plan<Lane>& plan, Row<Lane>& row, int32_t begin, int32_t end) {
    if (plan.narrowest >= plan.lower && plan.narrowest >= plan.upper) {
        sweep_one<Lane, trace, false>(plan, row, begin, end);
    } else {
        sweep_one<Lane, trace, true>(plan, row, begin, end);
    }
}

template <class Lane, Trace trace>
inline void sweep_pair(Sweep<Lane>& sweep, int32_t i) {
    const Plan<Lane>& plan = sweep.plan;
    Row<Lane> upper = begin_row(sweep, i);
    plan.upper_best[0] = plan.columns[0].best;
    const int32_t begin = i + 1 - plan.lower > 1 ? i + 1 - plan.lower : 1;
    if (begin > upper.begin) {
        sweep_row<Lane, trace>(plan, upper, upper.begin, begin < upper.end ? begin : upper.end);
        plan.upper_best[upper.begin] = plan.columns[upper.begin].best;
    }
    Row<Lane> lower = begin_row(sweep, i + 1);
    const int32_t end = upper.end > begin ? upper.end : begin;
    if (plan.narrowest >= plan.lower && plan.narrowest >= plan.upper) {
        sweep_two<Lane, trace, false>(plan, upper, lower, begin, upper.end);
    } else {
        const int32_t inner_begin = clamp(i + 1 - plan.narrowest, begin, end);
        const int32_t inner_end = clamp(i + 1 + plan.narrowest, inner_begin, end);
        sweep_two<Lane, trace, true>(plan, upper, lower, begin, inner_begin);
        sweep_two<Lane, trace, false>(plan, upper, lower, inner_begin, inner_end);
        sweep_two<Lane, trace, true>(plan, upper, lower, inner_end, upper.end);
    }
    sweep_row<Lane, trace>(plan, lower, end, lower.end);
    close_row(sweep, upper, plan.upper_best, 1);
    close_row(sweep, lower, &plan.columns[0].best, 2);
}

template <class Lane, Trace trace>
inline void sweep_rows(Sweep<Lane>& sweep) {
    const auto rows = static_cast<int32_t>(sweep.group.most_rows);
    for (int32_t i = 1; i < rows; i += 2) sweep_pair<Lane, trace>(sweep, i);
    if (rows % 2 == 0) return;
    Row<Lane> row = begin_row(sweep, rows);
    sweep_row<Lane, trace>(sweep.plan, row, row.begin, row.end);
    close_row(sweep, row, &sweep.plan.columns[0].best, 2);
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
    auto* const codes = reinterpret_cast<uint8_t*>(take(rows > columns ? rows : columns));
    const Sequences queries{group.bases, group.bases_bytes, group.query_offset,
                            group.rows,  group.lanes,       k_query_padding};
    const Sequences targets{group.bases,   group.bases_bytes, group.target_offset,
                            group.columns, group.lanes,       k_target_padding};
    group.ambiguous = lay_out(Lane{}, queries, rows, codes, reinterpret_cast<uint8_t*>(query));
    group.ambiguous |= lay_out(Lane{}, targets, columns, codes, reinterpret_cast<uint8_t*>(target));

    const GapCosts<Lane> costs{broadcast(Lane{}, group.cost_open), broadcast(Lane{}, group.cost_insert),
                               broadcast(Lane{}, group.cost_remove)};
    const Plan<Lane> plan{query,
                          target,
                          reinterpret_cast<Column<Lane>*>(take(2 * (group.most_columns + 2))),
                          take(group.most_columns + 2),
                          take(group.lower + group.upper + 1),
                          reinterpret_cast<Lane*>(group.directions),
                          static_cast<int32_t>(group.lower),
                          static_cast<int32_t>(group.upper),
                          static_cast<int32_t>(group.most_columns),
                          static_cast<int32_t>(group.narrowest_band),
                          costs,
                          substitution_table(Lane{}, group)};
    const Lane zero = broadcast(Lane{}, 0);
    Sweep<Lane> sweep{group, plan,      load_limits<Lane>(group.rows, group.lanes, 0), zero, zero,
                      zero,  costs.open};
    group.reaches_end = 0;
    begin_sweep(sweep);
    if (group.trace == Trace::none) sweep_rows<Lane, Trace::none>(sweep);
    if (group.trace == Trace::near) sweep_rows<Lane, Trace::near>(sweep);
    if (group.trace == Trace::late) sweep_rows<Lane, Trace::late>(sweep);
    store_elements(sweep.best_score, group.best_score);
    store_elements(sweep.best_row, group.best_row);
    store_elements(sweep.best_diagonal, group.best_diagonal);
}

static void extend_bytes(LaneGroup& group) { extend_group<Bytes>(group); }
static void extend_words(LaneGroup& group) { extend_group<Words>(group); }

const banded_sw::LaneFunctions k_banded_sw_lanes{Bytes::k_lanes, extend_bytes, extend_words};

}  // namespace gannet::kernels::GANNET_ISA
