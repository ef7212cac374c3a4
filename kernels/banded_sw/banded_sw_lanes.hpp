// SPDX-License-Identifier: MIT
// Provides what goes between the driver of the simd backend and the code of one instruction set, as plain
// data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gannet::kernels::banded_sw {

inline constexpr uint32_t k_max_lanes = 64;
inline constexpr uint32_t k_max_byte_diagonals = 254;

enum class Trace : uint8_t { none, near, late };

/// Jobs that run side by side, one per lane, and the scratch that they use. Lanes from `lanes` on are empty.
/// Rows, diagonals and costs must fit the lane's width: lower + upper is at most k_max_byte_diagonals for
/// bytes.
struct LaneGroup {
    const uint8_t* bases = nullptr;
    size_t bases_bytes = 0;
    uint32_t lanes = 0;
    uint32_t query_offset[k_max_lanes];
    uint32_t target_offset[k_max_lanes];
    uint16_t rows[k_max_lanes];     ///< query bases that the band can reach
    uint16_t columns[k_max_lanes];  ///< target bases that the band can reach
    uint16_t band[k_max_lanes];

    uint32_t most_rows = 0;
    uint32_t most_columns = 0;
    uint32_t lower = 0;  ///< diagonals computed: -lower <= j - i <= upper
    uint32_t upper = 0;
    uint32_t narrowest_band = 0;  ///< diagonals up to this need no mask
    Trace trace = Trace::none;

    uint32_t match = 0;
    uint32_t end_bonus = 0;
    uint32_t cost_mismatch = 0;
    uint32_t cost_ambiguous = 0;
    uint32_t cost_open = 0;
    uint32_t cost_insert = 0;
    uint32_t cost_remove = 0;

    uint8_t* scratch = nullptr;     ///< aligned to 64 bytes, scratch_bytes() of it
    uint8_t* directions = nullptr;  ///< direction_bytes() of it where trace is not none

    uint32_t best_score[k_max_lanes];
    uint32_t best_row[k_max_lanes];       ///< 0 where nothing beats the empty extension
    uint32_t best_diagonal[k_max_lanes];  ///< column - row + lower
    uint64_t reaches_end = 0;  ///< lanes whose last row, with the bonus, is at least as good as the best
    uint32_t end_cost[k_max_lanes];  ///< lowest cost in the last row, of those lanes
    uint32_t end_diagonal[k_max_lanes];
    uint64_t ambiguous =
        0;  ///< lanes that hold a code 4; byte lanes do not score them, their results are not valid
};

/// Positions are padded to full blocks of the transposition.
constexpr size_t padded(size_t positions) { return (positions + 15) / 16 * 16; }

/// Scratch of a group, in lane vectors of 64 bytes at most: codes, query, target, costs of a column, masks.
constexpr size_t scratch_bytes(size_t rows, size_t columns, size_t lower, size_t upper, size_t vector_bytes) {
    return vector_bytes *
           (3 * padded(rows) + 3 * padded(columns) + 3 * (columns + 2) + lower + upper + 1 + 8);
}
constexpr size_t direction_bytes(size_t rows, size_t lower, size_t upper, size_t vector_bytes) {
    return vector_bytes * rows * (lower + upper + 1);
}

/// Code that extends groups, in bytes and words of the CPU's vectors.
struct LaneFunctions {
    uint32_t byte_lanes = 0;  ///< and half as many words
    void (*extend_bytes)(LaneGroup&) = nullptr;
    void (*extend_words)(LaneGroup&) = nullptr;
};

}  // namespace gannet::kernels::banded_sw

namespace gannet::kernels {
namespace sse42 {
extern const banded_sw::LaneFunctions k_banded_sw_lanes;
}
namespace avx2 {
extern const banded_sw::LaneFunctions k_banded_sw_lanes;
}
namespace avx512 {
extern const banded_sw::LaneFunctions k_banded_sw_lanes;
}
}  // namespace gannet::kernels
