// SPDX-License-Identifier: MIT
// Provides the value of a diagonal and the diagonals of a window, written once for host and device.
#pragma once

#include "kernels/bits.hpp"
#include "kernels/genome/packed_words.hpp"
#include "kernels/rescue/rescue.hpp"

#include <algorithm>
#include <cstdint>

namespace gannet::kernels::rescue {

/// Bases at the end of the genome that no diagonal brings a read to: word_at() reads one word ahead.
inline constexpr int64_t k_end_margin_bp = 64;

/// The diagonals of a window that are searched; none where begin >= end.
constexpr GenomeInterval searched(const GenomeView& genome, const RescueWindow& window,
                                  uint32_t read_length) {
    const int64_t last = static_cast<int64_t>(genome.genome_size()) - read_length - k_end_margin_bp;
    return {std::max<int64_t>(window.begin, 0), std::min(window.end, last)};
}

/// The sum of the matches in blocks that count.
constexpr uint32_t value_of(const GenomeView& genome, const uint64_t* read, uint32_t blocks,
                            int64_t diagonal) {
    uint32_t value = 0;
    for (uint32_t block = 0; block < blocks; ++block) {
        const uint64_t other = word_at(genome.packed, static_cast<uint64_t>(diagonal) + 32 * block);
        const uint32_t mismatches = bit_count(mismatch_bits(other, read[block]));
        if (mismatches <= k_max_block_mismatches) value += 32 - mismatches;
    }
    return value;
}

}  // namespace gannet::kernels::rescue
