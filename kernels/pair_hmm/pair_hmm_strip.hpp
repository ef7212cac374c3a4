// SPDX-License-Identifier: MIT
// Provides what the vector kernels of the op pair_hmm work on: a strip of pairs, one a lane, laid out column
// by column.
#pragma once

#include "kernels/pair_hmm/pair_hmm_cell.hpp"

#include <cstdint>

namespace gannet::kernels::pair_hmm {

/// Rows are taken this many at a time, in registers, along the whole haplotype. Measured on AVX2: 2 to 8
/// differ by a fifth, 3 to 5 are best.
inline constexpr uint32_t k_strip_rows = 3;

/// What a strip holds for each row: one vector of lanes each, in this order. A pair whose read is shorter
/// than the strip begins with rows that leave row 0 of the law as it is: priors, stay, open and insertion
/// extension 0, deletion extension 1, first deletion equal to the initial deletion. So all pairs end in the
/// strip's last row, where the totals are summed.
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
struct Strip {
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
using StripKernel = void (*)(const Strip<Real>&);

/// One ISA's kernels and their widths.
struct StripKernels {
    uint32_t float_lanes;
    uint32_t double_lanes;
    StripKernel<float> float_kernel;
    StripKernel<double> double_kernel;
};

}  // namespace gannet::kernels::pair_hmm

namespace gannet::kernels::avx2 {
void pair_hmm_strip(const pair_hmm::Strip<float>& strip);
void pair_hmm_strip(const pair_hmm::Strip<double>& strip);
}  // namespace gannet::kernels::avx2

namespace gannet::kernels::avx512 {
void pair_hmm_strip(const pair_hmm::Strip<float>& strip);
void pair_hmm_strip(const pair_hmm::Strip<double>& strip);
}  // namespace gannet::kernels::avx512
