// SPDX-License-Identifier: MIT
// Provides the vector kernels of the op pair_hmm, one pair per lane; compiled once for AVX2 and once
// for AVX-512.
#include "kernels/pair_hmm/pair_hmm_lanes.hpp"
#include "kernels/simd/real_lanes.hpp"

namespace gannet::kernels::GANNET_ISA {

namespace {

/// k_strip_rows rows of all pairs along their haplotypes. `state` holds m, g and s of the row above by
/// column, and then of the last row.
/// Rows that are not `k_padded` extend all gaps alike.
template <class Lane, bool k_padded>
void sweep(const typename Lane::Real* rows, const pair_hmm::LaneGroup<typename Lane::Real>& group) {
    using Real = typename Lane::Real;
    using namespace pair_hmm;
    constexpr uint32_t k_rows = k_strip_rows;
    const auto vector = [rows](uint32_t row, RowVector which) {
        return rows + (row * k_row_vectors + which) * Lane::k_lanes;
    };
    const Lane floor = Lane::all(Law<Real>::floor);
    const Lane extend = Lane::all(static_cast<Real>(k_extend));
    Real* state = group.state;
    Lane above_m = Lane::load(state);
    Lane above_s = Lane::load(state + 2 * Lane::k_lanes);
    Lane m[k_rows], d[k_rows], s[k_rows];
    for (uint32_t k = 0; k < k_rows; ++k) {
        m[k] = Lane::all(0);
        d[k] = Lane::load(vector(k, k_first_deletion));
        s[k] = floor + d[k];
    }
    m[k_rows - 1].store(state);
    s[k_rows - 1].store(state + 2 * Lane::k_lanes);
    for (uint32_t column = 0; column < group.columns; ++column) {
        state += 3 * Lane::k_lanes;
        const auto code = load_vector(group.haplotype_codes + column * Lane::k_lanes);
        Lane diagonal_m = above_m;
        Lane diagonal_s = above_s;
        above_m = Lane::load(state);
        above_s = Lane::load(state + 2 * Lane::k_lanes);
        Lane up_m = above_m;
        Lane g = Lane::load(state + Lane::k_lanes);
#pragma GCC unroll 8
        for (uint32_t k = 0; k < k_rows; ++k) {
            const Lane open = Lane::load(vector(k, k_open));
            const Lane prior =
                Lane::select_by_bit(load_vector(vector(k, k_accepts)), code, Lane::load(vector(k, k_match)),
                                    Lane::load(vector(k, k_mismatch)));
            g = gap_state(open, k_padded ? Lane::load(vector(k, k_extend_insertion)) : extend, floor, up_m,
                          g);
            d[k] = gap_state(open, k_padded ? Lane::load(vector(k, k_extend_deletion)) : extend, floor, m[k],
                             d[k]);
            const Lane left_m = m[k];
            const Lane left_s = s[k];
            m[k] = match_state(prior, Lane::load(vector(k, k_stay)), diagonal_m, diagonal_s);
            s[k] = g + d[k];
            diagonal_m = left_m;
            diagonal_s = left_s;
            up_m = m[k];
        }
        m[k_rows - 1].store(state);
        g.store(state + Lane::k_lanes);
        s[k_rows - 1].store(state + 2 * Lane::k_lanes);
    }
}

template <class Lane>
void run(const pair_hmm::LaneGroup<typename Lane::Real>& group) {
    using Real = typename Lane::Real;
    using namespace pair_hmm;
    const Lane floor = Lane::all(Law<Real>::floor);
    const Lane start = Lane::load(group.start);
    Real* state = group.state;
    for (uint32_t column = 0; column <= group.columns; ++column, state += 3 * Lane::k_lanes) {
        Lane::all(0).store(state);
        floor.store(state + Lane::k_lanes);
        (floor + start).store(state + 2 * Lane::k_lanes);
    }
    const uint32_t row_reals = k_row_vectors * Lane::k_lanes;
    for (uint32_t row = 0; row < group.rows; row += k_strip_rows) {
        const Real* rows = group.row_values + static_cast<uint64_t>(row) * row_reals;
        if (row < group.padded_rows)
            sweep<Lane, true>(rows, group);
        else
            sweep<Lane, false>(rows, group);
    }

    const auto length = load_vector(group.haplotype_length);
    Lane sum_m = Lane::all(0);
    Lane sum_g = Lane::all(0);
    state = group.state;
    for (uint32_t column = 0; column < group.columns; ++column) {
        state += 3 * Lane::k_lanes;
        sum_m = sum_m + Lane::load(state).where_less(column, length);
        sum_g = sum_g + Lane::load(state + Lane::k_lanes).where_less(column, length);
    }
    fma(sum_g, Lane::all(static_cast<Real>(k_unclose)), sum_m).store(group.total);
}

}  // namespace

void pair_hmm_lanes(const pair_hmm::LaneGroup<float>& group) { run<Floats>(group); }
void pair_hmm_lanes(const pair_hmm::LaneGroup<double>& group) { run<Doubles>(group); }

}  // namespace gannet::kernels::GANNET_ISA
