// SPDX-License-Identifier: MIT
// Provides the device schedule of the op pair_hmm: what one lane of a warp does with its pair. Lanes exchange
// nothing.
//
// The rows of the read are done in strips of k_lane_rows, which stay in registers along the whole haplotype.
// Only the last row of a strip goes through memory, with the lanes of a column side by side. A read whose
// length is no multiple of the strip begins with rows that leave row 0 of the law as it is
// (pair_hmm_cell.hpp, pair_hmm_lanes.hpp), so that every read ends in the last row of a strip, where the
// totals are summed as the columns come. All functions are constexpr, so that nvcc --expt-relaxed-constexpr
// takes them for the device.
#pragma once

#include "kernels/pair_hmm/pair_hmm_cell.hpp"
#include "kernels/pair_hmm/pair_hmm_logarithm.hpp"
#include "kernels/pair_hmm/pair_hmm_warps.hpp"

#include <cstdint>

namespace gannet::kernels::pair_hmm {

/// A number of a lane. Each operation rounds once, to nearest even; none is contracted.
struct LaneReal {
    float value;

#ifdef __CUDA_ARCH__
    friend constexpr LaneReal operator*(LaneReal a, LaneReal b) { return {__fmul_rn(a.value, b.value)}; }
    friend constexpr LaneReal operator+(LaneReal a, LaneReal b) { return {__fadd_rn(a.value, b.value)}; }
    friend constexpr LaneReal fma(LaneReal a, LaneReal b, LaneReal c) {
        return {__fmaf_rn(a.value, b.value, c.value)};
    }
#else
    friend constexpr LaneReal operator*(LaneReal a, LaneReal b) { return {a.value * b.value}; }
    friend constexpr LaneReal operator+(LaneReal a, LaneReal b) { return {a.value + b.value}; }
    friend constexpr LaneReal fma(LaneReal a, LaneReal b, LaneReal c) {
        return {__builtin_fmaf(a.value, b.value, c.value)};
    }
#endif
};

class PairSchedule {
  public:
    /// `state`: the lane's own column of the warp's scratch.
    constexpr PairSchedule(const WarpArrays& arrays, const WarpPair& pair, float* state)
        : arrays_(arrays), pair_(pair), state_(state) {}

    constexpr void run() const {
        const uint32_t strips = (pair_.read_length + k_lane_rows - 1) / k_lane_rows;
        const uint32_t padding = strips * k_lane_rows - pair_.read_length;
        Sums sums;
        sweep<true>(0, padding, strips == 1, sums);
        for (uint32_t strip = 1; strip < strips; ++strip)
            sweep<false>(strip * k_lane_rows - padding, 0, strip + 1 == strips, sums);
        const LaneReal total = fma(sums.g, LaneReal{static_cast<float>(k_unclose)}, sums.m);
        arrays_.likelihood[pair_.pair] =
            total.value < Law<float>::smallest_total ? k_not_decided : likelihood_of_total(total.value);
    }

  private:
    /// Of the last row, columns ascending.
    struct Sums {
        LaneReal m{0};
        LaneReal g{0};
    };

    /// What does not change along a strip's rows.
    struct Rows {
        LaneReal match[k_lane_rows];
        LaneReal mismatch[k_lane_rows];
        LaneReal stay[k_lane_rows];
        LaneReal open[k_lane_rows];
        uint64_t accepts = 0;  ///< for each code of a haplotype a byte, with a bit for each row
    };

    /// Rows from base `first` of the read on, behind `padding` rows that it lacks.
    constexpr void load(uint32_t first, uint32_t padding, Rows& rows) const {
        for (uint32_t k = 0; k < k_lane_rows; ++k) {
            if (k < padding) {
                rows.match[k] = rows.mismatch[k] = rows.stay[k] = rows.open[k] = {0};
                continue;
            }
            const uint32_t base = arrays_.bases[pair_.read_begin + first + k - padding];
            const uint32_t quality = base & 0xff;
            const uint32_t gap_quality = base >> k_gap_quality_shift & 0xff;
            rows.match[k] = {arrays_.tables->match[quality]};
            rows.mismatch[k] = {arrays_.tables->mismatch[quality]};
            rows.stay[k] = {arrays_.tables->stay[gap_quality]};
            rows.open[k] = {arrays_.tables->open[gap_quality]};
            for (uint32_t code = 0; code < k_codes; ++code)
                rows.accepts |= uint64_t{base >> (k_accepts_shift + code) & 1} << (8 * code + k);
        }
    }

    constexpr float& state(uint32_t column, uint32_t which) const {
        return state_[((column - 1) * k_state_values + which) * uint64_t{k_warp_lanes}];
    }

    /// One strip; `is_first`: row 0 of the law is above it, and rows may be padding.
    template <bool is_first>
    constexpr void sweep(uint32_t first, uint32_t padding, bool is_last, Sums& sums) const {
        const LaneReal floor{Law<float>::floor};
        const LaneReal extend{static_cast<float>(k_extend)};
        const LaneReal start{pair_.start};
        Rows rows;
        load(first, padding, rows);
        LaneReal m[k_lane_rows];
        LaneReal d[k_lane_rows];
        LaneReal s[k_lane_rows];
        for (uint32_t k = 0; k < k_lane_rows; ++k) {
            m[k] = {0};
            d[k] = is_first && k < padding ? start : floor;
            s[k] = floor + d[k];
        }
        LaneReal above_m{0};
        LaneReal above_s = floor + (is_first ? start : floor);
        uint32_t word = 0;
        for (uint32_t column = 1; column <= pair_.haplotype_length; ++column) {
            const uint32_t in_word = (column - 1) % k_word_codes;
            if (in_word == 0) word = arrays_.haplotypes[pair_.haplotype_begin + (column - 1) / k_word_codes];
            const auto matches = static_cast<uint32_t>(rows.accepts >> 8 * (word >> 8 * in_word & 7));
            LaneReal diagonal_m = above_m;
            LaneReal diagonal_s = above_s;
            LaneReal g = floor;
            if (!is_first) {
                above_m = {state(column, 0)};
                g = {state(column, 1)};
                above_s = {state(column, 2)};
            }
            LaneReal up_m = above_m;
            for (uint32_t k = 0; k < k_lane_rows; ++k) {
                const bool is_padding = is_first && k < padding;
                g = gap_state(rows.open[k], is_padding ? LaneReal{0} : extend, floor, up_m, g);
                d[k] = gap_state(rows.open[k], is_padding ? LaneReal{1} : extend, floor, m[k], d[k]);
                const LaneReal left_m = m[k];
                const LaneReal left_s = s[k];
                const LaneReal prior = (matches >> k & 1) != 0 ? rows.match[k] : rows.mismatch[k];
                m[k] = match_state(prior, rows.stay[k], diagonal_m, diagonal_s);
                s[k] = g + d[k];
                diagonal_m = left_m;
                diagonal_s = left_s;
                up_m = m[k];
            }
            if (is_last) {
                sums.m = sums.m + m[k_lane_rows - 1];
                sums.g = sums.g + g;
            } else {
                state(column, 0) = m[k_lane_rows - 1].value;
                state(column, 1) = g.value;
                state(column, 2) = s[k_lane_rows - 1].value;
            }
        }
    }

    const WarpArrays& arrays_;
    const WarpPair& pair_;
    float* state_;
};

}  // namespace gannet::kernels::pair_hmm
