// SPDX-License-Identifier: MIT
// Provides the device schedule of banded_sw for two jobs per lane, in the 16-bit halves of a word.
//
// It is the schedule of banded_sw_schedule.hpp in other numbers. With C the cost of a cell
// (banded_sw_cell.hpp), and I and D those of reaching it by a gap, a half holds, for cell (i, j),
//   best       C - insert * i + bias
//   insertion  I - insert * i + bias
//   deletion   D - insert * i + bias + shift(j), shift(j) = remove * (most_columns + 1 - j)
// so that lengthening a gap leaves a value as it is, and a cell is
//   best      = min(diagonal + substitution - insert, insertion, deletion - shift)
//   insertion = min(insertion, best + open)          of the cell below
//   deletion  = min(deletion, best + open + shift)   of the cell to the right
// four times min(a + b, c), which is one instruction for both halves on devices of capability 9.0
// (__viaddmin_u16x2). All values are 0 or more and below 2^15, so that a difference of two halves plus 2^15
// neither borrows from nor carries to the other half, and its highest bit is a comparison. Cells that cannot
// be reached are about 2^14, far above any cost that is reported. fits_halves() says which jobs this is true
// for.
//
// A substitution is one look-up of a byte, at an index of three bits made of both codes: bits 0 and 1 differ
// by a mismatch, bit 2 is set where either code is ambiguous. Columns that the band of a job or the end of
// its target cuts are left to a slower form of the same code; between them, and so in most cells, no lane has
// anything to mask.
//
// Lanes and warps are as in banded_sw_schedule.hpp. More of the namespace of Lane: add_min(a, b, c) and
// lesser_halves, unsigned by halves; add_halves, modulo 2^16; pair_index(query, target, bits): (query |
// target) in `bits`, else query ^ target; look_up(low, high, index): for each half the byte of the eight of
// low and high that the index's bits 0-2 (low half) or 8-10 (high half) name, widened with its sign;
// flagged(a, b, c): a - b + c, modulo 2^32; keep_lowest(lowest, value, position, low_position,
// high_position): the lower of both by halves, and where `value` is lower, its position; signs(a, b): bytes 0
// or 255 by the highest bits of a's low and high half, then b's; bits(a, mask): both; low_half, high_half.
// More of Warp: query_index(i), target_index(j): indices of both jobs, k_query_index of the row's codes,
// k_target_index likewise; bands(), columns(): by halves; rows(half).
#pragma once

#include "kernels/banded_sw/banded_sw_schedule.hpp"

namespace gannet::kernels::banded_sw {

inline constexpr int32_t k_half_unreachable = 1 << 14;
inline constexpr int32_t k_half_sign = 1 << 15;

/// The same in both halves; modulo 2^16.
constexpr int32_t in_halves(int32_t value) {
    return static_cast<int32_t>((static_cast<uint32_t>(value) & 0xffff) * 0x10001U);
}

/// Index of a code: a digit of four bits with its copy in the next, which is marked in a query's: it stands
/// for the sign of the byte that the digit names.
constexpr uint32_t target_index(uint32_t code) { return code * 0x11; }
constexpr uint32_t query_index(uint32_t code) { return code * 0x11 | 0x80; }
/// Bits of an index that are set where either code has them.
inline constexpr int32_t k_either_bits = 0xcccc;

/// True if every job of at most `longest` rows and `longest` columns is exact in halves.
constexpr bool fits_halves(const WarpCosts& costs, int32_t longest) {
    const int64_t most = int64_t{longest} + k_strip_rows + 1;
    const int32_t mismatch = costs.mismatch - costs.insert;
    const int32_t ambiguous = costs.ambiguous - costs.insert;
    const auto is_byte = [](int32_t value) { return value >= -128 && value <= 127; };
    if (!is_byte(mismatch) || !is_byte(ambiguous) || !is_byte(-costs.insert)) return false;
    int64_t per_pair = mismatch > ambiguous ? mismatch : ambiguous;
    if (per_pair < 0) per_pair = 0;
    const int64_t bias = costs.insert * most;
    const int64_t highest_reachable = bias + costs.open + costs.remove * most + per_pair * most;
    const int64_t growth =
        per_pair * most + 2 * int64_t{costs.open} + costs.remove * most + costs.insert * most;
    const int64_t highest_reported = costs.match * most + costs.end_bonus;
    return highest_reachable + growth + highest_reported < k_half_unreachable;
}

/// Bit 14 of each half in which `value` is greater than the half's limit.
template <class Lane, class Warp>
constexpr Lane beyond(const Warp& warp, int32_t value, Lane limits) {
    return bits(
        flagged(warp.spread(in_halves(value)), limits, warp.spread(in_halves(k_half_unreachable - 1))),
        warp.spread(in_halves(k_half_unreachable)));
}

/// A row of the strip, in registers.
template <class Lane>
struct HalfRow {
    Lane query;
    Lane diagonal;
    Lane deletion;
    Lane lowest;
    Lane lowest_column[2];
};

/// What the cells of a column have in common.
template <class Lane>
struct HalfColumn {
    Lane target;
    Lane column;
    Lane beyond_target;  ///< only of masked columns
    Lane minus_shift;
    Lane opened_deletion;
    Lane first_flag;
    Lane gap_d_flag;
};

static_assert(k_strip_rows == 8, "a byte of direction bits has a bit for each row");

/// The strip of rows above + 1 .. above + k_strip_rows, column by column.
template <class Lane, class Warp>
class HalfStrip {
  public:
    constexpr HalfStrip(Warp& warp, const WarpShape& shape, int32_t bias, int32_t above)
        : warp_(warp),
          shape_(shape),
          bias_(bias),
          above_(above),
          open_(warp.spread(in_halves(shape.costs.open))),
          certain_(warp.spread(table(-shape.costs.insert, shape.costs.mismatch - shape.costs.insert))),
          ambiguous_(warp.spread(table(shape.costs.ambiguous - shape.costs.insert,
                                       shape.costs.ambiguous - shape.costs.insert))) {}

    constexpr void run() {
        const Lane none = warp_.spread(in_halves(k_half_unreachable));
        const int32_t first = above_ + 1 - shape_.lower;
        const int32_t last = lesser_of(above_ + k_strip_rows + shape_.upper, shape_.most_columns);
        const int32_t begin = first > 1 ? first : 1;
        const Lane no_deletion = warp_.spread(in_halves(k_half_unreachable + shift(begin)));
        Lane corner = none;
        Lane unused = none;
        warp_.load_column(begin - 1, corner, unused);
        for (int32_t r = 0; r < k_strip_rows; ++r) {
            rows_[r] = {warp_.query_index(above_ + 1 + r),
                        corner,
                        no_deletion,
                        none,
                        {warp_.spread(0), warp_.spread(0)}};
            corner = none;
        }
        if (begin == 1) enter_column_zero();
        if (begin > last) return;
        targets_ = warp_.load_target((begin - 1) / k_packed_half_columns);
        load(begin);
        // From `inner` to before `inner_end` neither a band nor the end of a target cuts a cell, and the
        // strip above has entered the next column too.
        const int32_t inner = above_ + k_strip_rows - shape_.narrowest_band;
        const int32_t reach = lesser_of(shape_.upper, shape_.narrowest_band + 1);
        const int32_t inner_end = lesser_of(lesser_of(above_ + reach, shape_.fewest_columns + 1), last);
        int32_t j = begin;
        for (; j <= last && (j < inner || j >= inner_end); ++j) enter_column<true>(j, j - first);
        for (; j < inner_end; ++j) enter_column<false>(j, j - first);
        for (; j <= last; ++j) enter_column<true>(j, j - first);
    }

    /// Lowest cost of row r, in plain numbers, and its column.
    constexpr Lane lowest(int32_t r, int32_t half) const {
        const Lane stored = half == 0 ? low_half(rows_[r].lowest) : high_half(rows_[r].lowest);
        return plus(stored, warp_.spread(shape_.costs.insert * (above_ + 1 + r) - bias_));
    }
    constexpr Lane lowest_column(int32_t r, int32_t half) const { return rows_[r].lowest_column[half]; }

  private:
    static constexpr int32_t lesser_of(int32_t a, int32_t b) { return a < b ? a : b; }
    static constexpr int32_t table(int32_t first, int32_t others) {
        return static_cast<int32_t>((static_cast<uint32_t>(others) & 0xff) * 0x1010100U |
                                    (static_cast<uint32_t>(first) & 0xff));
    }

    /// What the strip above left of column j, for when it is entered; nothing to the right of where it ended.
    constexpr void load(int32_t j) {
        if (j <= above_ + shape_.upper) {
            warp_.load_column(j, next_above_, next_insertion_);
        } else {
            next_above_ = warp_.spread(in_halves(k_half_unreachable));
            next_insertion_ = next_above_;
        }
    }

    /// Column 0: one long insertion, as far as the bands go.
    constexpr void enter_column_zero() {
        const Lane cost = warp_.spread(in_halves(bias_ + shape_.costs.open));
        const Lane opened = warp_.spread(in_halves(shape_.costs.open + shift(0)));
        Lane best = cost;
        for (int32_t r = 0; r < k_strip_rows; ++r) {
            best = either(cost, beyond_band(above_ + 1 + r));
            rows_[r].lowest = best;
            rows_[r].deletion = add_halves(best, opened);
            if (r + 1 < k_strip_rows) rows_[r + 1].diagonal = best;
        }
        warp_.store_column(0, best, warp_.spread(in_halves(k_half_unreachable)));
    }

    constexpr int32_t shift(int32_t j) const { return shape_.costs.remove * (shape_.most_columns + 1 - j); }

    template <bool masked>
    constexpr HalfColumn<Lane> column_of(int32_t j) {
        const int32_t part = (j - 1) % k_packed_half_columns;
        if (part == 0) targets_ = warp_.load_target((j - 1) / k_packed_half_columns);
        const int32_t open = shape_.costs.open;
        const int32_t shifted_by = shift(j);
        const bool near = shape_.trace == Trace::near;
        return {part == 0 ? targets_ : high_half(targets_),
                warp_.spread(j),
                masked ? beyond<Lane>(warp_, j, warp_.columns()) : warp_.spread(0),
                warp_.spread(in_halves(-shifted_by)),
                warp_.spread(in_halves(open + shifted_by)),
                warp_.spread(in_halves(k_half_sign + (near ? 0 : shifted_by))),
                warp_.spread(in_halves(k_half_sign + (near ? -open - shifted_by : open + shifted_by)))};
    }

    template <bool masked>
    constexpr void enter_column(int32_t j, int32_t place) {
        const HalfColumn<Lane> column = column_of<masked>(j);
        Lane above = next_above_;
        Lane insertion = next_insertion_;
        // One column ahead, so that a device's memory answers while it computes.
        if (!masked) warp_.load_column(j + 1, next_above_, next_insertion_);
        if (masked && j < shape_.most_columns) load(j + 1);
        Lane steps = warp_.spread(0);
        Lane gaps = warp_.spread(0);
        for (int32_t r = 0; r < k_strip_rows; ++r) {
            HalfRow<Lane>& row = rows_[r];
            const Lane substitution = look_up(
                certain_, ambiguous_, pair_index(row.query, column.target, warp_.spread(k_either_bits)));
            const Lane by_gap = add_min(row.deletion, column.minus_shift, insertion);
            Lane by_match = warp_.spread(0);
            Lane best = by_match;
            if (shape_.trace == Trace::near) {
                by_match = add_halves(row.diagonal, substitution);
                best = lesser_halves(by_match, by_gap);
            } else {
                best = add_min(row.diagonal, substitution, by_gap);
            }
            const int32_t i = above_ + 1 + r;
            if (masked) best = either(best, beyond_band(j < i ? i - j : j - i));
            if (shape_.trace != Trace::none) {
                const Lane flag = warp_.spread(0x01010101 << r);
                const Lane step = signs(first_bit(best, by_match, row.deletion, column),
                                        same_as_insertion(best, insertion));
                const Lane gap = signs(gap_i_bit(best, insertion), gap_d_bit(best, row.deletion, column));
                steps = either(steps, bits(step, flag));
                gaps = either(gaps, bits(gap, flag));
            }
            keep_lowest(row.lowest, masked ? either(best, column.beyond_target) : best, column.column,
                        row.lowest_column[0], row.lowest_column[1]);
            row.diagonal = above;
            row.deletion = add_min(best, column.opened_deletion, row.deletion);
            insertion = add_min(best, open_, insertion);
            above = best;
        }
        warp_.store_column(j, above, insertion);
        if (shape_.trace != Trace::none)
            warp_.store_directions(above_ / k_strip_rows * strip_width(shape_.lower, shape_.upper) + place,
                                   steps, gaps);
    }

    // Direction bits (banded_sw_cell.hpp), as the highest bit of each half.

    constexpr Lane first_bit(Lane best, Lane by_match, Lane deletion, const HalfColumn<Lane>& column) const {
        return flagged(best, shape_.trace == Trace::near ? by_match : deletion, column.first_flag);
    }
    constexpr Lane same_as_insertion(Lane best, Lane insertion) const {
        return flagged(best, insertion, warp_.spread(in_halves(k_half_sign)));
    }
    constexpr Lane gap_i_bit(Lane best, Lane insertion) const {
        if (shape_.trace == Trace::near)
            return flagged(insertion, best, warp_.spread(in_halves(k_half_sign - shape_.costs.open)));
        return flagged(best, insertion, warp_.spread(in_halves(k_half_sign + shape_.costs.open)));
    }
    constexpr Lane gap_d_bit(Lane best, Lane deletion, const HalfColumn<Lane>& column) const {
        return shape_.trace == Trace::near ? flagged(deletion, best, column.gap_d_flag)
                                           : flagged(best, deletion, column.gap_d_flag);
    }

    constexpr Lane beyond_band(int32_t distance) const {
        return beyond<Lane>(warp_, distance, warp_.bands());
    }

    Warp& warp_;
    const WarpShape& shape_;
    const int32_t bias_;
    const int32_t above_;
    const Lane open_;
    const Lane certain_;
    const Lane ambiguous_;
    Lane targets_{};  ///< k_packed_half_columns codes of both targets
    Lane next_above_{};
    Lane next_insertion_{};
    HalfRow<Lane> rows_[k_strip_rows];
};

/// Row 0 into the columns: deletions, and the insertions that open after them.
template <class Lane, class Warp>
constexpr void begin_half_columns(Warp& warp, const WarpShape& shape, int32_t bias) {
    const Lane open = warp.spread(in_halves(shape.costs.open));
    const Lane none = warp.spread(in_halves(k_half_unreachable));
    warp.store_column(0, warp.spread(in_halves(bias)), none);
    int32_t cost = bias + shape.costs.open;
    for (int32_t j = 1; j <= shape.most_columns && j <= shape.upper; ++j) {
        cost += shape.costs.remove;
        const Lane best = either(warp.spread(in_halves(cost)), beyond<Lane>(warp, j, warp.bands()));
        warp.store_column(j, best, add_halves(best, open));
    }
}

template <class Lane, class Warp>
constexpr void pack_half_targets(Warp& warp, const WarpShape& shape) {
    for (int32_t before = 0; before < shape.most_columns; before += k_packed_half_columns) {
        const Lane word = either(warp.target_index(before + 1), shifted(warp.target_index(before + 2), 16));
        warp.store_target(before / k_packed_half_columns, word);
    }
}

/// results[0] of the low halves, results[1] of the high ones.
template <class Lane, class Warp>
constexpr void extend_half_warp(Warp& warp, const WarpShape& shape, WarpResult<Lane> (&results)[2]) {
    const int32_t bias = shape.costs.insert * (shape.most_rows + k_strip_rows);
    const Lane zero = warp.spread(0);
    for (WarpResult<Lane>& result : results)
        result = {zero, zero, zero, warp.spread(k_wide_unreachable), zero};
    begin_half_columns<Lane>(warp, shape, bias);
    pack_half_targets<Lane>(warp, shape);
    for (int32_t above = 0; above < shape.most_rows; above += k_strip_rows) {
        HalfStrip<Lane, Warp> strip(warp, shape, bias, above);
        strip.run();
        for (int32_t r = 0; r < k_strip_rows; ++r) {
            for (int32_t half = 0; half < 2; ++half) {
                close_strip_row(warp, shape, above + 1 + r, warp.rows(half), strip.lowest(r, half),
                                strip.lowest_column(r, half), results[half]);
            }
        }
    }
}

}  // namespace gannet::kernels::banded_sw
