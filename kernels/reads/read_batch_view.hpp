// SPDX-License-Identifier: MIT
// Provides a batch of reads as ops see it: packed bases of both strands, a mask of what is ambiguous,
// qualities; plain arrays, on the host or on a device.
#pragma once

#include <cstdint>

namespace gannet::kernels {

/// Words of one strand of a read: one more than needed, which is 0, since word_at() reads one ahead.
constexpr uint32_t strand_words(uint32_t length_bp) { return (length_bp + 31) / 32 + 1; }

inline constexpr uint64_t k_no_mask = ~uint64_t{0};

/// "Oriented" means in the direction of the reference's forward strand: the read as sequenced (strand 0), or
/// its reverse complement (strand 1).
struct ReadBatchView {
    uint32_t reads = 0;
    bool paired = false;               ///< reads 2i and 2i + 1 are mates
    const uint32_t* length = nullptr;  ///< reads: bp, 0 included
    /// Of each read, strand 0 and behind it strand 1, strand_words(length) words each, from packed_begin on.
    /// As the genome's: 2 bits a base, the first in the lowest bits, 0 behind the last. What is not A, C, G
    /// or T is packed as A (and as T in the reverse complement).
    const uint64_t* packed = nullptr;
    const uint64_t* packed_begin = nullptr;  ///< reads
    /// Only of reads that have ambiguous bases: strand 0 and strand 1 as in `packed`, where the low bit of
    /// each 2-bit base that is not A, C, G or T is set and all others are 0.
    const uint64_t* mask = nullptr;
    const uint64_t* mask_begin = nullptr;  ///< reads: index in `mask`, or k_no_mask
    /// Phred, without offset (0 to 93), as sequenced. Not all ops read them: may be null for those.
    const uint8_t* quality = nullptr;
    const uint32_t* quality_begin = nullptr;  ///< reads + 1

    /// Whether the batch has the mate of a read; it is read ^ 1.
    constexpr bool has_mate(uint32_t read) const { return paired && (read ^ 1) < reads; }
    constexpr const uint64_t* words(uint32_t read, uint32_t strand) const {
        return packed + packed_begin[read] + (strand != 0 ? strand_words(length[read]) : 0);
    }
    constexpr bool is_ambiguous(uint32_t read) const { return mask_begin[read] != k_no_mask; }
    /// Only of a read that is_ambiguous().
    constexpr const uint64_t* mask_words(uint32_t read, uint32_t strand) const {
        return mask + mask_begin[read] + (strand != 0 ? strand_words(length[read]) : 0);
    }
};

}  // namespace gannet::kernels
