// SPDX-License-Identifier: MIT
// Provides what goes between the plan of the device form of pair_hmm and the lanes of its warps: plain arrays
// that are copied as they are.
#pragma once

#include "kernels/pair_hmm/pair_hmm_tables.hpp"
#include "kernels/warp.hpp"

#include <cstdint>
#include <limits>

namespace gannet::kernels::pair_hmm {

/// Rows of the read that a lane holds in registers along the whole haplotype.
inline constexpr uint32_t k_lane_rows = 8;
/// What a lane stores for each column of the last of these rows.
inline constexpr uint32_t k_state_values = 3;

/// A base of a read in 32 bits: quality, gap quality, and a bit for each code of a haplotype that it matches.
inline constexpr uint32_t k_gap_quality_shift = 8;
inline constexpr uint32_t k_accepts_shift = 16;
/// Codes of a haplotype in a word, eight bits each, the first in the lowest.
inline constexpr uint32_t k_word_codes = 4;
inline constexpr uint32_t k_codes = 5;

/// The result of a pair whose total in fp32 is below the threshold: the host computes it in fp64.
inline constexpr int32_t k_not_decided = std::numeric_limits<int32_t>::min();

/// A pair as a lane has it.
struct WarpPair {
    uint32_t read_begin = 0;  ///< in WarpArrays::bases
    uint32_t read_length = 0;
    uint32_t haplotype_begin = 0;  ///< in WarpArrays::haplotypes
    uint32_t haplotype_length = 0;
    float start = 0;    ///< the initial deletion
    uint32_t pair = 0;  ///< of the batch
};

/// What all lanes see. A warp takes k_warp_lanes pairs that follow one another, which are sorted by length.
struct WarpArrays {
    const WarpPair* pairs = nullptr;
    const uint32_t* bases = nullptr;       ///< of the reads
    const uint32_t* haplotypes = nullptr;  ///< words of codes, of each haplotype whole ones
    const Tables<float>* tables = nullptr;
    int32_t* likelihood = nullptr;
    uint32_t count = 0;

    constexpr uint32_t groups() const { return (count + k_warp_lanes - 1) / k_warp_lanes; }
};

/// Bytes of scratch of a warp that meets haplotypes of up to `columns` bases: of each column the values of
/// all lanes side by side.
constexpr uint64_t scratch_bytes(uint32_t columns) {
    return uint64_t{columns} * k_state_values * k_warp_lanes * sizeof(float);
}

}  // namespace gannet::kernels::pair_hmm
