// SPDX-License-Identifier: MIT
// Provides the law of the op pair_hmm: the recurrence of one cell, lane-typed, its constants and its
// boundary.
//
// States of cell (i, j), i = 1..R over the read, j = 1..H over the haplotype. Gap states are kept multiplied
// by the chance 0.9 that a gap closes, which saves a multiplication a cell:
//   m(i,j) = prior(i,j) * fma(m(i-1,j-1), stay_i, s(i-1,j-1))
//   g(i,j) = fma(m(i-1,j), open_i, fma(g(i-1,j), extend, floor))       insertion
//   d(i,j) = fma(m(i,j-1), open_i, fma(d(i,j-1), extend, floor))       deletion
//   s(i,j) = g(i,j) + d(i,j)
// with e = 10^(-quality/10), o = 10^(-gap quality/10): prior = 1 - e where the bases match, e / 3 where not;
// stay = max(0, 1 - 2 o); open = 0.9 o; extend = 0.1. All are made in double and rounded once to the lane's
// type. Boundary: m = 0 in row 0 and column 0; g = floor in row 0 and column 0; d = 0.9 * (scale / H) in row
// 0 (column 0 included), d = floor in column 0 of rows 1..R; s = g + d. fma is fused; every other operation
// rounds once, to nearest even. Total: sum of m(R,j) over j = 1..H ascending, sum of g(R,j) likewise, then
// fma(sum_g, 10/9, sum_m).
//
// The floor matters by its size, not by its value: with it no value is ever subnormal (the smallest is
// floor * e(93) / 3), so that flush-to-zero modes, which differ among CPUs, libraries and devices, cannot
// change a bit; and it takes no instruction. All that floors add to a total is below 2^-62 in fp32; a total
// below 2^-40 is computed again in fp64 by the same law with its own constants.
#pragma once

#include <cstdint>

namespace gannet::kernels::pair_hmm {

template <class Real>
struct Law;

template <>
struct Law<float> {
    using Bits = uint32_t;
    static constexpr int scale_exponent = 120;
    static constexpr float scale = 0x1p120F;
    static constexpr float floor = 0x1p-90F;
    static constexpr float smallest_total = 0x1p-40F;
};

template <>
struct Law<double> {
    using Bits = uint64_t;
    static constexpr int scale_exponent = 1000;
    static constexpr double scale = 0x1p1000;
    static constexpr double floor = 0x1p-960;
    static constexpr double smallest_total = 0x1p-900;
};

inline constexpr double k_close = 0.9;
inline constexpr double k_extend = 0.1;
inline constexpr double k_unclose = 10.0 / 9.0;

/// m(i,j). `fma` is found by the lane type, so that the order of operations is written once.
template <class Lane>
constexpr Lane match_state(Lane prior, Lane stay, Lane diagonal_m, Lane diagonal_s) {
    return prior * fma(diagonal_m, stay, diagonal_s);
}

/// g(i,j) from the cell above, d(i,j) from the cell to the left.
template <class Lane>
constexpr Lane gap_state(Lane open, Lane extend, Lane floor, Lane neighbour_m, Lane neighbour_gap) {
    return fma(neighbour_m, open, fma(neighbour_gap, extend, floor));
}

}  // namespace gannet::kernels::pair_hmm
