// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of banded_sw: the device schedule, run on the host by a lane type of 32
// values.
#include "kernels/banded_sw/banded_sw_driver.hpp"
#include "kernels/banded_sw/banded_sw_schedule.hpp"

namespace gannet::kernels::banded_sw {

namespace emulated {

constexpr uint32_t k_warp = 32;

using Values [[gnu::vector_size(4 * k_warp)]] = int32_t;

struct Lane {
    Values v;
};
/// -1 for true, 0 for false.
struct Mask {
    Values v;
};

inline Lane plus(const Lane& a, const Lane& b) { return {a.v + b.v}; }
inline Lane minus(const Lane& a, const Lane& b) { return {a.v - b.v}; }
inline Lane lesser(const Lane& a, const Lane& b) { return {a.v < b.v ? a.v : b.v}; }
inline Lane either(const Lane& a, const Lane& b) { return {a.v | b.v}; }
inline Lane shifted(const Lane& a, int32_t bits) { return {a.v << bits}; }
inline Mask less(const Lane& a, const Lane& b) { return {a.v < b.v}; }
inline Mask equal(const Lane& a, const Lane& b) { return {a.v == b.v}; }
inline Mask both(const Mask& a, const Mask& b) { return {a.v & b.v}; }
inline Lane select(const Mask& mask, const Lane& yes, const Lane& no) { return {mask.v ? yes.v : no.v}; }

template <class Value>
Lane each(Value value) {
    Lane result;
    for (uint32_t lane = 0; lane < k_warp; ++lane) result.v[lane] = value(lane);
    return result;
}

/// The jobs of one warp, and its memory: `scratch` holds best and insertion of a column, lanes side by side.
class Warp {
  public:
    explicit Warp(const LaneGroup& group)
        : group_(group),
          columns_(reinterpret_cast<Lane*>(group.scratch)),
          directions_(reinterpret_cast<Lane*>(group.directions)),
          rows_(each([&](uint32_t k) { return k < group.lanes ? int32_t{group.rows[k]} : 0; })),
          band_(each([&](uint32_t k) { return k < group.lanes ? int32_t{group.band[k]} : 0; })) {}

    static Lane spread(int32_t value) { return {Values{} + value}; }
    Lane query(int32_t i) const {
        return each([this, i](uint32_t k) { return code(group_.query_offset, group_.rows, k, i, 0); });
    }
    Lane target(int32_t j) const {
        return each([this, j](uint32_t k) {
            return code(group_.target_offset, group_.columns, k, j, k_code_behind_end);
        });
    }
    const Lane& rows() const { return rows_; }
    const Lane& band() const { return band_; }
    void load_column(int32_t j, Lane& best, Lane& insertion) const {
        best = columns_[2 * j];
        insertion = columns_[2 * j + 1];
    }
    void store_column(int32_t j, const Lane& best, const Lane& insertion) {
        columns_[2 * j] = best;
        columns_[2 * j + 1] = insertion;
    }
    void store_directions(int64_t word, const Lane& bits) { directions_[word] = bits; }

  private:
    int32_t code(const uint32_t* offset, const uint16_t* length, uint32_t lane, int32_t position,
                 int32_t behind) const {
        if (lane >= group_.lanes || position > length[lane]) return behind;
        const uint8_t base = group_.bases[offset[lane] + static_cast<uint32_t>(position) - 1];
        return base < k_code_ambiguous ? base : k_code_ambiguous;
    }

    const LaneGroup& group_;
    Lane* columns_;
    Lane* directions_;
    Lane rows_;
    Lane band_;
};

void extend(LaneGroup& group) {
    WarpShape shape;
    shape.most_rows = static_cast<int32_t>(group.most_rows);
    shape.most_columns = static_cast<int32_t>(group.most_columns);
    shape.lower = static_cast<int32_t>(group.lower);
    shape.upper = static_cast<int32_t>(group.upper);
    shape.narrowest_band = static_cast<int32_t>(group.narrowest_band);
    shape.match = static_cast<int32_t>(group.match);
    shape.end_bonus = static_cast<int32_t>(group.end_bonus);
    shape.cost_mismatch = static_cast<int32_t>(group.cost_mismatch);
    shape.cost_ambiguous = static_cast<int32_t>(group.cost_ambiguous);
    shape.cost_open = static_cast<int32_t>(group.cost_open);
    shape.cost_insert = static_cast<int32_t>(group.cost_insert);
    shape.cost_remove = static_cast<int32_t>(group.cost_remove);
    shape.trace = group.trace;
    Warp warp(group);
    const WarpResult<Lane> result = extend_warp<Lane>(warp, shape);
    group.ambiguous = 0;
    group.reaches_end = 0;
    for (uint32_t lane = 0; lane < group.lanes; ++lane) {
        group.best_score[lane] = static_cast<uint32_t>(result.best_score.v[lane]);
        group.best_row[lane] = static_cast<uint32_t>(result.best_row.v[lane]);
        group.best_diagonal[lane] =
            static_cast<uint32_t>(result.best_column.v[lane] - result.best_row.v[lane] + shape.lower);
        group.end_cost[lane] = static_cast<uint32_t>(result.end_cost.v[lane]);
        group.end_diagonal[lane] =
            static_cast<uint32_t>(result.end_column.v[lane] - int32_t{group.rows[lane]} + shape.lower);
        if (result.end_cost.v[lane] < k_wide_unreachable) group.reaches_end |= uint64_t{1} << lane;
    }
}

}  // namespace emulated

}  // namespace gannet::kernels::banded_sw

namespace gannet::kernels {

void banded_sw_emulated(Stream&, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                        BandedSwResults& results) {
    banded_sw::LaneFunctions functions;
    functions.wide_lanes = banded_sw::emulated::k_warp;
    functions.extend_wide = banded_sw::emulated::extend;
    banded_sw::extend_in_groups(functions, scoring, batch, results);
}

}  // namespace gannet::kernels
