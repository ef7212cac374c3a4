// SPDX-License-Identifier: MIT
// Provides what goes between the host's side of the device schedule of the op deflate and its warps: plain
// arrays, and the memory of a warp.
#pragma once

#include "kernels/deflate/deflate_cell.hpp"
#include "kernels/warp.hpp"

#include <cstdint>

namespace gannet::kernels::deflate {

static_assert(k_tile == k_warp_lanes);

/// Where a block and its stream lie.
struct BlockPlace {
    uint32_t first_word = 0;  ///< in DeflateArrays::words
    uint32_t bytes = 0;
    uint32_t first_stream_word = 0;  ///< in DeflateArrays::streams
};

/// Words that a block of so many bytes takes: any 8 of its bytes are read from two of them.
constexpr uint32_t block_words(uint32_t bytes) { return bytes / 8 + 2; }
/// Words of a stream, of which whole ones are written.
constexpr uint32_t stream_words(uint32_t bytes) { return (bytes + k_deflate_stored_bytes) / 4 + 1; }

/// What all warps see.
struct DeflateArrays {
    const uint64_t* words = nullptr;  ///< of all blocks, each padded with zeros
    const BlockPlace* blocks = nullptr;
    uint32_t count = 0;
    uint32_t* stream_bytes = nullptr;  ///< of each block
    uint32_t* streams = nullptr;
};

/// The tokens that begin in a tile, a bit for each position.
struct TileTokens {
    uint32_t literals = 0;
    uint32_t matches = 0;
};

/// Of a warp: the tokens of its block. A literal is the block's byte.
struct WarpScratch {
    TileTokens tiles[k_deflate_max_block / k_tile];
    uint32_t matches[k_deflate_max_block / k_min_match];  ///< length << 16 | (distance - 1), in their order
};
static_assert(k_deflate_max_block % k_tile == 0);

/// What making a code needs, of at most k_fixed_literals symbols.
struct CodeScratch {
    uint32_t sorted[k_fixed_literals];    ///< symbols that occur, by frequency
    uint32_t weight[k_fixed_literals];    ///< of these
    uint32_t joined[k_fixed_literals];    ///< weights of what two lighter ones were joined to
    uint32_t parent[k_fixed_literals];    ///< of these; then their depth
    uint32_t words[k_max_code_bits + 1];  ///< of each length
    uint32_t inner[k_max_code_bits + 1];  ///< joined ones of each depth
    uint32_t first[k_max_code_bits + 1];  ///< word of each length
};

/// The memory that the lanes of a warp share.
struct WarpShared {
    /// Positions by bucket while tokens are looked for: 1 + the last one << 16 | 1 + the one before it.
    /// Codes are made later.
    union {
        uint32_t buckets[k_buckets];
        CodeScratch code;
    };
    uint32_t frequency[k_literals + k_distances];
    uint32_t length_frequency[k_code_lengths];
    uint32_t
        words[k_fixed_literals + k_distances];  ///< of the codes that are used: bits << 16 | word, turned
    uint32_t length_words[k_code_lengths];
    uint8_t literal_bits[k_fixed_literals];
    uint8_t distance_bits[k_distances];
    uint8_t length_bits[k_code_lengths];
    uint8_t sequence[k_literals + k_distances];  ///< the lengths as they are written
    // A value of each lane:
    uint32_t length[k_warp_lanes + 1];  ///< of its match; 0: none. Behind the last lane: 0
    uint32_t distance[k_warp_lanes];
    uint32_t bucket[k_warp_lanes];  ///< of its position; k_buckets: it has none
    uint32_t entry[k_warp_lanes];   ///< what becomes of that bucket
    uint32_t before[k_warp_lanes];  ///< bits of the lanes before it
    uint64_t bits[k_warp_lanes];    ///< of its token
    /// Bits of the stream that have not been written, the first in the lowest; of a tile at most 32 words of
    /// 15 bits and what its last position has more.
    uint32_t out[20];
};

}  // namespace gannet::kernels::deflate
