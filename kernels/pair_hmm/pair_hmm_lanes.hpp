// SPDX-License-Identifier: MIT
// Provides what goes between the driver of the vector backends of pair_hmm and the code of one instruction
// set: groups of pairs, one per lane, as plain data.
#pragma once

#include "kernels/pair_hmm/pair_hmm_cell.hpp"

#include <cstdint>

namespace gannet::kernels::pair_hmm {

/// Rows of the read that are held in registers along the whole haplotype. Measured on AVX2: 2 to 8 differ by
/// a fifth, 3 to 5 are best.
inline constexpr uint32_t k_strip_rows = 3;

/// What a group holds for each row: one vector each, in this order. A pair whose read is shorter than the
/// longest of the group begins with rows that leave row 0 of the law as it is: priors, stay, open and
/// insertion extension 0, deletion extension 1, first deletion equal to the initial deletion. So all pairs
/// end in the last row of the group, where the totals are summed.
enum RowVector : uint32_t {
    k_match,
    k_mismatch,
    k_stay,
    k_open,
    k_extend_insertion,
    k_extend_deletion,
    k_first_deletion,  ///< d in column 0
    k_accepts,         ///< bits: the highest but c is set where the read's base matches code c
    k_row_vectors
};

/// All arrays are aligned to 64 bytes. `rows` is a multiple of k_strip_rows.
template <class Real>
struct LaneGroup {
    using Bits = typename Law<Real>::Bits;
    uint32_t rows;
    uint32_t padded_rows;  ///< below this, some pair has a row that its read lacks
    uint32_t columns;
    const Real* row_values;        ///< rows * k_row_vectors * lanes
    const Bits* haplotype_codes;   ///< columns * lanes
    const Bits* haplotype_length;  ///< lanes
    const Real* start;             ///< lanes: the initial deletion
    Real* state;                   ///< scratch: (columns + 1) * 3 * lanes
    Real* total;                   ///< lanes: the result
};

template <class Real>
using GroupFunction = void (*)(const LaneGroup<Real>&);

/// The code of one instruction set, and its widths.
struct LaneFunctions {
    uint32_t float_lanes;
    uint32_t double_lanes;
    GroupFunction<float> floats;
    GroupFunction<double> doubles;
};

}  // namespace gannet::kernels::pair_hmm

namespace gannet::kernels::avx2 {
void pair_hmm_lanes(const pair_hmm::LaneGroup<float>& group);
void pair_hmm_lanes(const pair_hmm::LaneGroup<double>& group);
}  // namespace gannet::kernels::avx2

namespace gannet::kernels::avx512 {
void pair_hmm_lanes(const pair_hmm::LaneGroup<float>& group);
void pair_hmm_lanes(const pair_hmm::LaneGroup<double>& group);
}  // namespace gannet::kernels::avx512
