// SPDX-License-Identifier: MIT
// Provides the device schedule of banded_sw, lane-typed: what one warp does with its group, one job per lane.
//
// The warp goes down the query in strips of k_strip_rows rows. In a strip it goes along the columns once;
// what runs along the rows stays in registers, and only the strip's last row (best cost and insertion of each
// column) goes through memory, laid out so that the lanes of a column are neighbours. Control flow is the
// same in all lanes; lanes differ by selection only. Direction bits of a column's strip, four a cell, are one
// 32-bit word per lane.
//
// Lanes never exchange values: each reads and writes its own column of the scratch only, so that nothing
// needs a barrier.
//
// Lane holds int32 values, so that no cost of the contract's ranges can overflow, and Mask truth values.
// Found by their namespace: plus, minus, lesser, less, equal, select, both, shifted (value << bits), either
// (bit by bit), field (value >> bits & 15). Warp offers spread(int32) -> Lane; query(i), target(j) -> Lane:
// codes of row i and column j of each lane's job, 1-based, k_code_beyond_end beyond the end of a target;
// rows(), band() -> Lane; load_column, store_column; load_target, store_target: packed words;
// store_directions.
//
// All functions are constexpr, a Warp's included, so that nvcc --expt-relaxed-constexpr takes them for the
// device.
#pragma once

#include "kernels/banded_sw/banded_sw_cell.hpp"
#include "kernels/banded_sw/banded_sw_trace.hpp"
#include "kernels/banded_sw/banded_sw_warps.hpp"

namespace gannet::kernels::banded_sw {

inline constexpr int32_t k_code_ambiguous = 4;
inline constexpr int32_t k_code_beyond_end = 5;
/// Higher than any cost that is reported, and low enough that a path's further costs can be added to it.
inline constexpr int32_t k_wide_unreachable = 1 << 28;

/// Codes of a job's row i and column j, 1-based: 0 beyond the rows, `beyond` behind the end of the target.
constexpr uint32_t base_code(uint8_t base) { return base < k_code_ambiguous ? base : k_code_ambiguous; }
constexpr uint32_t query_code(const uint8_t* bases, const WarpJob& job, int32_t i) {
    return i > job.rows ? 0 : base_code(bases[job.query_offset + static_cast<uint32_t>(i) - 1]);
}
constexpr uint32_t target_code(const uint8_t* bases, const WarpJob& job, int32_t j, uint32_t beyond) {
    return j > job.columns ? beyond : base_code(bases[job.target_offset + static_cast<uint32_t>(j) - 1]);
}

/// What does not depend on the lane.
struct WarpShape {
    int32_t most_rows = 0;
    int32_t most_columns = 0;
    int32_t lower = 0;
    int32_t upper = 0;
    int32_t narrowest_band = 0;
    int32_t fewest_columns = 0;
    WarpCosts costs;
    Trace trace = Trace::none;
};
constexpr WarpShape shape_of(const WarpGroup& group, const WarpCosts& costs, Trace trace) {
    return {group.most_rows,      group.most_columns,   group.lower, group.upper,
            group.narrowest_band, group.fewest_columns, costs,       trace};
}

/// Results of each lane's job; best_row is 0 where nothing beats the empty extension.
template <class Lane>
struct WarpResult {
    Lane best_score;
    Lane best_row;
    Lane best_column;
    Lane end_cost;  ///< k_wide_unreachable where the query's end is not at least as good as the best
    Lane end_column;
};

/// A row of the strip, in registers.
template <class Lane>
struct StripRow {
    Lane query;
    Lane diagonal;
    Lane deletion;
    Lane lowest;
    Lane lowest_column;
};

template <class Lane, class Warp>
constexpr Lane substitution_cost(const Warp& warp, const WarpShape& shape, Lane query, Lane target) {
    const Lane mismatch = select(equal(query, target), warp.spread(0), warp.spread(shape.costs.mismatch));
    const auto certain =
        both(less(query, warp.spread(k_code_ambiguous)), less(target, warp.spread(k_code_ambiguous)));
    const Lane cost = select(certain, mismatch, warp.spread(shape.costs.ambiguous));
    return select(less(target, warp.spread(k_code_beyond_end)), cost, warp.spread(k_wide_unreachable));
}

template <class Lane, class Warp>
constexpr Lane wide_direction_bits(const Warp& warp, const CellCosts<Lane>& cell, Lane insertion,
                                   Lane deletion, bool near) {
    const auto bit = [&warp](auto mask, int32_t value) {
        return select(mask, warp.spread(value), warp.spread(0));
    };
    const Lane opened_or_insertion = lesser(cell.opened, insertion);
    const Lane opened_or_deletion = lesser(cell.opened, deletion);
    const Lane first = bit(equal(cell.best, near ? cell.by_match : deletion), k_direction_first);
    const Lane second = bit(equal(cell.best, insertion), k_direction_insertion);
    const Lane gap_i = bit(equal(opened_or_insertion, near ? cell.opened : insertion), k_direction_gap_i);
    const Lane gap_d = bit(equal(opened_or_deletion, near ? cell.opened : deletion), k_direction_gap_d);
    return either(either(first, second), either(gap_i, gap_d));
}

/// The strip of rows above + 1 .. above + k_strip_rows, column by column.
template <class Lane, class Warp>
class Strip {
  public:
    constexpr Strip(Warp& warp, const WarpShape& shape, const GapCosts<Lane>& costs, int32_t above)
        : warp_(warp), shape_(shape), costs_(costs), above_(above) {}

    constexpr void run() {
        const Lane none = warp_.spread(k_wide_unreachable);
        const int32_t first = above_ + 1 - shape_.lower;
        const int32_t last = above_ + k_strip_rows + shape_.upper;
        const int32_t begin = first > 1 ? first : 1;
        const int32_t end = last < shape_.most_columns ? last : shape_.most_columns;
        Lane corner = none;
        Lane unused = none;
        warp_.load_column(begin - 1, corner, unused);
        for (int32_t r = 0; r < k_strip_rows; ++r) {
            rows_[r] = {warp_.query(above_ + 1 + r), corner, none, none, warp_.spread(0)};
            corner = none;
        }
        if (begin == 1) enter_column_zero();
        if (begin <= end) targets_ = warp_.load_target((begin - 1) / k_packed_columns);
        // One column ahead, so that a device's memory answers while it computes.
        if (begin <= end) warp_.load_column(begin, next_above_, next_insertion_);
        for (int32_t j = begin; j <= end; ++j) enter_column(j, j - first, j < end);
    }

    constexpr const StripRow<Lane>& row(int32_t r) const { return rows_[r]; }

  private:
    /// Column 0: one long insertion, as far as the bands go.
    constexpr void enter_column_zero() {
        Lane best = warp_.spread(0);
        for (int32_t r = 0; r < k_strip_rows; ++r) {
            const int32_t i = above_ + 1 + r;
            best = masked(warp_.spread(shape_.costs.open + i * shape_.costs.insert), i, 0);
            rows_[r].lowest = best;
            rows_[r].deletion = next_deletion(costs_, plus(best, costs_.open), rows_[r].deletion);
            if (r + 1 < k_strip_rows) rows_[r + 1].diagonal = best;
        }
        warp_.store_column(0, best, warp_.spread(k_wide_unreachable));
    }

    constexpr void enter_column(int32_t j, int32_t place, bool has_next) {
        const int32_t part = (j - 1) % k_packed_columns;
        if (part == 0) targets_ = warp_.load_target((j - 1) / k_packed_columns);
        const Lane target = field(targets_, 4 * part);
        const Lane column = warp_.spread(j);
        Lane above = next_above_;
        Lane insertion = next_insertion_;
        if (has_next) warp_.load_column(j + 1, next_above_, next_insertion_);
        Lane directions = warp_.spread(0);
        const Lane none = warp_.spread(k_wide_unreachable);
        for (int32_t r = 0; r < k_strip_rows; ++r) {
            StripRow<Lane>& row = rows_[r];
            CellCosts<Lane> cell =
                enter_cell(costs_, row.diagonal, substitution_cost<Lane>(warp_, shape_, row.query, target),
                           insertion, row.deletion);
            // Beyond the end of a target costs would add up without a bound.
            cell.best = masked(lesser(cell.best, none), above_ + 1 + r, j);
            cell.opened = plus(cell.best, costs_.open);
            if (shape_.trace != Trace::none) {
                const bool near = shape_.trace == Trace::near;
                directions =
                    either(directions,
                           shifted(wide_direction_bits(warp_, cell, insertion, row.deletion, near), 4 * r));
            }
            row.lowest_column = select(less(cell.best, row.lowest), column, row.lowest_column);
            row.lowest = lesser(row.lowest, cell.best);
            row.diagonal = above;
            row.deletion = next_deletion(costs_, cell.opened, row.deletion);
            insertion = next_insertion(costs_, cell.opened, insertion);
            above = cell.best;
        }
        warp_.store_column(j, above, insertion);
        if (shape_.trace != Trace::none)
            warp_.store_directions(above_ / k_strip_rows * strip_width(shape_.lower, shape_.upper) + place,
                                   directions);
    }

    /// `cost` where the band lets the job enter cell (i, j).
    constexpr Lane masked(Lane cost, int32_t i, int32_t j) const {
        const int32_t distance = j < i ? i - j : j - i;
        if (j - i < -shape_.lower || j - i > shape_.upper) return warp_.spread(k_wide_unreachable);
        if (distance <= shape_.narrowest_band) return cost;
        return select(less(warp_.band(), warp_.spread(distance)), warp_.spread(k_wide_unreachable), cost);
    }

    Warp& warp_;
    const WarpShape& shape_;
    const GapCosts<Lane>& costs_;
    int32_t above_;
    Lane targets_{};  ///< k_packed_columns codes of the target
    Lane next_above_{};
    Lane next_insertion_{};
    StripRow<Lane> rows_[k_strip_rows];
};

/// Row i's lowest cost against the best of the rows above, and against the end of jobs that end here, of
/// `rows`.
template <class Lane, class Warp>
constexpr void close_strip_row(const Warp& warp, const WarpShape& shape, int32_t i, Lane rows, Lane lowest,
                               Lane lowest_column, WarpResult<Lane>& result) {
    const Lane index = warp.spread(i);
    const Lane score = minus(warp.spread(i * shape.costs.match), lowest);
    const auto better = both(less(result.best_score, score), less(index, plus(rows, warp.spread(1))));
    result.best_score = select(better, score, result.best_score);
    result.best_row = select(better, index, result.best_row);
    result.best_column = select(better, lowest_column, result.best_column);
    const Lane with_bonus = plus(score, warp.spread(shape.costs.end_bonus + 1));
    const auto ends = both(equal(index, rows), less(result.best_score, with_bonus));
    result.end_cost = select(ends, lowest, result.end_cost);
    result.end_column = select(ends, lowest_column, result.end_column);
}

/// Row 0 into the columns: deletions, and the insertions that open after them.
template <class Lane, class Warp>
constexpr void begin_columns(Warp& warp, const WarpShape& shape, const GapCosts<Lane>& costs) {
    const Lane none = warp.spread(k_wide_unreachable);
    warp.store_column(0, warp.spread(0), none);
    Lane gap = costs.open;
    for (int32_t j = 1; j <= shape.most_columns; ++j) {
        gap = plus(gap, costs.remove);
        const bool inside = j <= shape.upper;
        const Lane best = inside ? select(less(warp.band(), warp.spread(j)), none, gap) : none;
        warp.store_column(j, best, inside ? next_insertion(costs, plus(best, costs.open), none) : none);
    }
}

/// The targets, four bits per code: each strip reads them again, from words whose lanes are neighbours.
template <class Lane, class Warp>
constexpr void pack_targets(Warp& warp, const WarpShape& shape) {
    for (int32_t before = 0; before < shape.most_columns; before += k_packed_columns) {
        Lane word = warp.spread(0);
        for (int32_t k = 0; k < k_packed_columns; ++k) {
            word = either(word, shifted(warp.target(before + k + 1), 4 * k));
        }
        warp.store_target(before / k_packed_columns, word);
    }
}

template <class Lane, class Warp>
constexpr WarpResult<Lane> extend_warp(Warp& warp, const WarpShape& shape) {
    const GapCosts<Lane> costs{warp.spread(shape.costs.open), warp.spread(shape.costs.insert),
                               warp.spread(shape.costs.remove)};
    const Lane zero = warp.spread(0);
    const Lane none = warp.spread(k_wide_unreachable);
    WarpResult<Lane> result{zero, zero, zero, none, zero};
    begin_columns(warp, shape, costs);
    pack_targets<Lane>(warp, shape);
    for (int32_t above = 0; above < shape.most_rows; above += k_strip_rows) {
        Strip<Lane, Warp> strip(warp, shape, costs, above);
        strip.run();
        for (int32_t r = 0; r < k_strip_rows; ++r) {
            const StripRow<Lane>& row = strip.row(r);
            close_strip_row(warp, shape, above + 1 + r, warp.rows(), row.lowest, row.lowest_column, result);
        }
    }
    return result;
}

/// One lane's end, out of its results: the end of the query where that is as good, else the best score.
constexpr WarpEnd end_of(const WarpJob& job, const WarpCosts& costs, const WarpResult<int32_t>& result) {
    if (job.rows == job.query_length && result.end_cost < k_wide_unreachable) {
        return {costs.match * job.query_length - result.end_cost, job.query_length,
                static_cast<uint16_t>(result.end_column), 1, 0};
    }
    const bool is_empty = result.best_row == 0;
    return {result.best_score, static_cast<uint16_t>(result.best_row),
            static_cast<uint16_t>(is_empty ? 0 : result.best_column), 0, 0};
}

/// Writes a CIGAR's elements into its room, and counts those that found none.
struct CigarSink {
    uint32_t* to = nullptr;
    uint32_t room = 0;
    uint32_t elements = 0;

    constexpr void put(uint32_t element) {
        if (elements < room) to[elements] = element;
        ++elements;
    }
};

/// What is left when the warp has extended: the end of one job, and its CIGAR.
template <class Directions>
constexpr void finish_job(const WarpBatch& batch, Trace trace, uint32_t slot,
                          const WarpResult<int32_t>& result, const Directions& directions) {
    const WarpJob& job = batch.jobs[slot];
    WarpEnd end = end_of(job, batch.costs, result);
    if (trace != Trace::none) {
        CigarSink sink{batch.cigar + job.cigar_offset, job.cigar_room, 0};
        trace_back(directions, trace == Trace::late, end.query_end, end.target_end, sink);
        end.elements = static_cast<uint16_t>(sink.elements);
    }
    batch.ends[slot] = end;
}

}  // namespace gannet::kernels::banded_sw
