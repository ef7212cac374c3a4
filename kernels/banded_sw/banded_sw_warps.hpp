// SPDX-License-Identifier: MIT
// Provides what goes between the plan on the host and the warps of the device schedule: plain arrays that are
// copied as they are.
//
// A group is the jobs that one warp extends: one per lane in 32-bit numbers, or two per lane in halves of a
// word (banded_sw_halves.hpp). Its slots follow one another from first_slot on: those of the lanes, and in a
// group of halves those of their high halves. Slots without a job have no rows and no columns. Scratch of a
// group, each item 32 words side by side, one per lane: two per column (best cost and insertion), the packed
// target, direction bits.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/banded_sw/banded_sw_lanes.hpp"
#include "kernels/warp.hpp"

#include <cstdint>

namespace gannet::kernels::banded_sw {

inline constexpr int32_t k_strip_rows = 8;           ///< query rows that a warp holds in registers
inline constexpr int32_t k_packed_columns = 8;       ///< target codes in a word, four bits each
inline constexpr int32_t k_packed_half_columns = 2;  ///< the same for halves, eight bits per job
inline constexpr int32_t k_half_words =
    2;  ///< words of direction bits per column of a strip, for both jobs of a lane

struct WarpJob {
    uint32_t query_offset = 0;
    uint32_t target_offset = 0;
    uint32_t cigar_offset = 0;  ///< of its first element among all
    uint16_t cigar_room = 0;    ///< elements; 0 where it is not traced
    uint16_t query_length = 0;
    uint16_t rows = 0;     ///< query bases that the band can reach
    uint16_t columns = 0;  ///< target bases that the band can reach
    uint16_t band = 0;
};

struct WarpGroup {
    uint64_t scratch_offset = 0;  ///< words
    uint16_t most_rows = 0;
    uint16_t most_columns = 0;
    uint16_t lower = 0;
    uint16_t upper = 0;
    uint16_t narrowest_band = 0;
    uint16_t fewest_columns = 0;  ///< of its jobs
    Trace trace = Trace::none;
    bool halves = false;  ///< two jobs per lane
    uint32_t first_slot = 0;

    constexpr uint32_t slots() const { return halves ? 2 * k_warp_lanes : k_warp_lanes; }
};

/// Where and how a job ended; the score is that of the contract.
struct WarpEnd {
    int32_t score = 0;
    uint16_t query_end = 0;
    uint16_t target_end = 0;
    uint16_t to_end = 0;
    uint16_t elements = 0;  ///< of the CIGAR, from the end back to the corner; more than the room is an error
};

/// Costs of a batch (banded_sw_cell.hpp).
struct WarpCosts {
    int32_t match = 0;
    int32_t end_bonus = 0;
    int32_t mismatch = 0;
    int32_t ambiguous = 0;
    int32_t open = 0;
    int32_t insert = 0;
    int32_t remove = 0;
};
constexpr WarpCosts costs_of(const BandedSwScoring& scoring) {
    return {scoring.match,
            scoring.end_bonus,
            scoring.match + scoring.mismatch,
            scoring.match + scoring.ambiguous,
            scoring.gap_open,
            scoring.match + scoring.gap_extend,
            scoring.gap_extend};
}

/// All that the warps of a batch read and write, in the memory of the host or of the device.
struct WarpBatch {
    const uint8_t* bases = nullptr;
    const WarpJob* jobs = nullptr;
    const WarpGroup* groups = nullptr;
    uint32_t* scratch = nullptr;
    WarpEnd* ends = nullptr;
    uint32_t* cigar = nullptr;
    WarpCosts costs;
};

/// Words of direction bits per lane: those of cell (i, j) are in word (i - 1) / k_strip_rows * strip_width()
/// + j - first_column, where first_column = (i - 1) / k_strip_rows * k_strip_rows + 1 - lower, from bit 4 *
/// ((i
/// - 1) % k_strip_rows) on.
constexpr int64_t strip_width(int64_t lower, int64_t upper) { return lower + upper + k_strip_rows; }
constexpr int64_t direction_words(int64_t rows, int64_t lower, int64_t upper) {
    return (rows + k_strip_rows - 1) / k_strip_rows * strip_width(lower, upper);
}

/// The parts of a group's scratch, in items of 32 words.
struct ScratchLayout {
    int64_t columns = 0;  ///< from 0 on
    int64_t target = 0;
    int64_t directions = 0;
    int64_t end = 0;
};
constexpr ScratchLayout scratch_layout(const WarpGroup& group) {
    ScratchLayout layout;
    const int32_t packed = group.halves ? k_packed_half_columns : k_packed_columns;
    const int32_t words = group.halves ? k_half_words : 1;
    layout.target = 2 * (int64_t{group.most_columns} + 1);
    layout.directions = layout.target + (int64_t{group.most_columns} + packed - 1) / packed;
    layout.end =
        layout.directions +
        (group.trace == Trace::none ? 0 : words * direction_words(group.most_rows, group.lower, group.upper));
    return layout;
}

/// Direction bits of one lane.
struct StripDirections {
    const uint32_t* base;
    int64_t lower;
    int64_t upper;

    constexpr uint32_t bits(int64_t i, int64_t j) const {
        const int64_t strip = (i - 1) / k_strip_rows;
        const int64_t word = strip * strip_width(lower, upper) + j - (strip * k_strip_rows + 1 - lower);
        return base[word * k_warp_lanes] >> 4 * ((i - 1) % k_strip_rows) & 0xf;
    }
};

/// Direction bits of one job of a lane of halves. The two words of a column's strip have a byte for each job
/// and kind of bit: {first low, first high, insertion low, insertion high} and the same of the gaps; a bit
/// for each row.
struct HalfDirections {
    const uint32_t* base;
    int64_t lower;
    int64_t upper;
    uint32_t half;  ///< 0 or 1

    constexpr uint32_t bits(int64_t i, int64_t j) const {
        const int64_t strip = (i - 1) / k_strip_rows;
        const int64_t word = strip * strip_width(lower, upper) + j - (strip * k_strip_rows + 1 - lower);
        const auto row = static_cast<uint32_t>((i - 1) % k_strip_rows) + 8 * half;
        const uint32_t steps = base[k_half_words * word * k_warp_lanes] >> row;
        const uint32_t gaps = base[(k_half_words * word + 1) * k_warp_lanes] >> row;
        return (steps & 1) | (steps >> 15 & 2) | (gaps << 2 & 4) | (gaps >> 13 & 8);
    }
};

}  // namespace gannet::kernels::banded_sw
