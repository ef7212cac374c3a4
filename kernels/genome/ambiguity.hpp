// SPDX-License-Identifier: MIT
// Provides look-ups of what is ambiguous in the genome, for host and device.
#pragma once

#include "kernels/genome/genome_view.hpp"

#include <cstdint>

namespace gannet::kernels {

constexpr bool any_block(const uint64_t* bits, uint64_t first, uint64_t last) {
    bool marked = false;
    for (uint64_t block = first; block <= last; ++block)
        marked |= (bits[block >> 6] >> (block & 63) & 1) != 0;
    return marked;
}

/// Whether [begin, end) is known to hold A, C, G and T of one contig only. The bitmap of large blocks (6 kB
/// for a human genome) stays in the nearest cache and answers nearly all questions; that of small ones does
/// not.
constexpr bool is_plain(const GenomeView& genome, int64_t begin, int64_t end) {
    if (begin < 0 || end > static_cast<int64_t>(genome.genome_size()) || end - begin > 2 << k_fine_block_bits)
        return false;
    const auto first = static_cast<uint64_t>(begin);
    const auto last = static_cast<uint64_t>(end - 1);
    return !any_block(genome.ambiguous_coarse, first >> k_coarse_block_bits, last >> k_coarse_block_bits) ||
           !any_block(genome.ambiguous_fine, first >> k_fine_block_bits, last >> k_fine_block_bits);
}

/// The first of the ambiguous intervals that ends behind `position`; their number if none does.
constexpr uint32_t first_ambiguous(const GenomeView& genome, int64_t position) {
    uint32_t low = 0;
    uint32_t high = genome.ambiguous_count;
    while (low != high) {
        const uint32_t middle = low + (high - low) / 2;
        if (genome.ambiguous[middle].end <= position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // namespace gannet::kernels
