// SPDX-License-Identifier: MIT
// Provides the reference genome as ops see it: plain arrays, on the host or on a device.
#pragma once

#include <cstdint>

namespace gannet::kernels {

/// Genome coordinates [begin, end): 0-based over the packed genome, all contigs and the padding between them.
struct GenomeInterval {
    int64_t begin = 0;
    int64_t end = 0;
};

/// A block of ambiguous_fine has 2^k_fine_block_bits bases, one of ambiguous_coarse 2^k_coarse_block_bits.
inline constexpr unsigned k_fine_block_bits = 8;
inline constexpr unsigned k_coarse_block_bits = 16;

/// Refers to memory that lives as long as the process uses the reference; the same on all streams.
struct GenomeView {
    /// 2 bits a base: base i in bits 2 (i % 32) and up of word i / 32, A C G T as 0 to 3. What is not A, C, G
    /// or T, and padding, is stored as 0. At most 2^36 bases.
    const uint64_t* packed = nullptr;
    uint64_t words = 0;

    /// Contigs in ascending order: first base (a multiple of 64) and bases. At least 64 bases of padding come
    /// before the first, between any two and after the last. Padding belongs to the contig before it, or to
    /// the first.
    const uint64_t* contig_begin = nullptr;
    const uint64_t* contig_length = nullptr;
    uint32_t contigs = 0;

    /// Bases that are not A, C, G or T, padding included: ascending, disjoint, not empty.
    const GenomeInterval* ambiguous = nullptr;
    uint32_t ambiguous_count = 0;
    /// One bit for each block of bases that has such a base: block b is bit b % 64 of word b / 64. Their
    /// words are genome_size() >> (bits of the block + 6), and one.
    const uint64_t* ambiguous_fine = nullptr;
    const uint64_t* ambiguous_coarse = nullptr;

    /// ALT contigs, those beside each other as one: ascending, disjoint.
    const GenomeInterval* alternate = nullptr;
    uint32_t alternate_count = 0;

    constexpr uint64_t genome_size() const { return words * 32; }

    /// Whether a coordinate, negative ones included, is on an ALT contig.
    constexpr bool is_alternate(int64_t position) const {
        uint32_t low = 0;
        uint32_t high = alternate_count;
        while (low != high) {
            const uint32_t middle = low + (high - low) / 2;
            if (alternate[middle].end <= position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low != alternate_count && position >= alternate[low].begin;
    }
};

}  // namespace gannet::kernels
