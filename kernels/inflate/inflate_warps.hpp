// SPDX-License-Identifier: MIT
// Provides what goes between the host's side of the device schedule of the op inflate and its warps: plain
// arrays, and the memory of a warp.
#pragma once

#include "kernels/inflate/inflate_cell.hpp"
#include "kernels/inflate/inflate_tuning.hpp"
#include "kernels/warp.hpp"

#include <cstdint>

namespace gannet::kernels::inflate {

/// Where a stream and what it is inflated to lie.
struct BlockPlace {
    uint32_t first_word = 0;  ///< in InflateArrays::streams
    uint32_t stream_bytes = 0;
    uint32_t first_out_word = 0;  ///< in InflateArrays::out_words
    uint32_t out_bytes = 0;
    uint32_t crc32 = 0;
};

constexpr uint32_t stream_words(uint32_t bytes) { return (bytes + 3) / 4; }
/// Whole sectors of 32 bytes.
constexpr uint32_t out_words(uint32_t bytes) { return (bytes + 31) / 32 * 8; }

/// What all warps see.
struct InflateArrays {
    const uint32_t* streams = nullptr;  ///< each padded to a word with zeros
    const BlockPlace* blocks = nullptr;
    uint32_t count = 0;
    uint32_t* statuses = nullptr;
    uint8_t* out = nullptr;
    const uint32_t* out_words = nullptr;  ///< the same
};

/// A code. Words of b bits are those below limit[b], from the highest bit of 15 on, that are not below
/// limit[b - 1].
struct Code {
    uint32_t words[k_max_code_bits + 1];  ///< of each length
    uint32_t limit[k_max_code_bits + 1];
    uint32_t first[k_max_code_bits + 1];  ///< word of each length
    uint32_t begin[k_max_code_bits + 1];  ///< of the symbols of these
    uint16_t sorted[k_fixed_literals];    ///< symbols, by word
};

inline constexpr uint32_t k_bytes_of_word = 4;
inline constexpr uint32_t k_byte_values = 256;

/// The memory that the lanes of a warp share.
struct WarpShared {
    union {
        struct {
            Entry
                literals[1u << k_literal_table_bits];  ///< by the bits that follow; 0: longer words, or none
            Entry distances[1u << k_distance_table_bits];  ///< before that, of the code of code lengths
            Code literal, distance;
            uint8_t lengths[k_max_lengths];  ///< of words
            uint8_t length_bits[k_code_lengths];
        } tables;
        /// When all is inflated.
        struct {
            uint32_t of_bit[k_warp_lanes];
            uint32_t of_byte[k_bytes_of_word * k_byte_values];  ///< for each of the four bytes of a word
            uint32_t state[k_warp_lanes];
        } crc;
    };
};

static_assert(1u << k_max_code_length_bits <= 1u << k_distance_table_bits);

}  // namespace gannet::kernels::inflate
