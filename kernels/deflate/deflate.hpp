// SPDX-License-Identifier: MIT
// Provides the contract of the op deflate: blocks of bytes, each compressed by itself into a raw DEFLATE
// stream (RFC 1951) of one deflate block. It is made for a warp per block; on CPUs a library that is kept up
// by others is faster, so that the backend simd has no such op.
//
// Of a block b of n bytes:
//
// 1. Candidates. Tile t has the positions [32 t, 32 t + 32) that are below n. A position p with p + 6 <= n
//    has a bucket: its six bytes as a little-endian number, times 2^16 times 0x9e3779b185ebca87, modulo 2^64,
//    of that the highest 12 bits. Its candidates are p - 1, and of the positions in its bucket that lie in
//    earlier tiles the last one, and the last one of the next earlier tile that has any; at a distance of at
//    most 32,768. The length of a candidate q is the number of bytes that are equal from p and from q on, at
//    most 258 and n - p. The match of p is the candidate of greatest length, of equal ones the nearest, if
//    its length is 6 or more.
// 2. Tokens. From position 0 on: where p has a match, and p + 1 has no longer one in the same tile, a
//    match, after which p + length is next; else a literal, after which p + 1 is next.
// 3. Codes (RFC 1951, 3.2.2) are made of the frequencies of the symbols of tokens and end, for literals and
//    lengths, and for distances. Where fewer than two symbols occur, the lowest others count once. Huffman's
//    algorithm joins the two lightest, of equal ones symbols before what has been joined, symbols by number,
//    the joined by age. Longer words than 15 bits count as 15; then, as long as words do not fit, one of the
//    longest below 15 bits becomes one bit longer, and a word of 15 bits becomes its neighbour. The most
//    frequent symbols get the shortest words, of equal ones the highest symbol.
// 4. The stream is the shortest of the block stored, with the fixed codes and with those of step 3, in this
//    order where equal. Trailing lengths of 0 are left out as far as the format allows. Lengths are written
//    in runs from the first on: zeros in runs of 138, then, from 11 and from 3 left on, one run of these;
//    others once and then in runs of 6, then one of 3 or more; the rest by themselves. Their code is made as
//    in step 3, of at most 7 bits.
//
// Of BAM records that is 0.96 to 0.97 of what ISA-L makes at its highest level (docs/sorting.md).
#pragma once

#include "kernels/backend.hpp"
#include "kernels/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::kernels {

inline constexpr uint32_t k_deflate_max_block = 65'280;  ///< bytes; the payload of a block of BGZF
/// Of a stream beyond those of its block, at most: stored, it has so many.
inline constexpr uint32_t k_deflate_stored_bytes = 5;

/// Blocks one behind the other; bytes are appended to `bytes`, and end_block() makes those since the block
/// before one. Memory is kept by clear().
struct DeflateBatch {
    std::vector<uint8_t> bytes;
    std::vector<uint32_t> offset{0};  ///< of each block, and the end

    void clear();
    void end_block() { offset.push_back(static_cast<uint32_t>(bytes.size())); }
    size_t size() const { return offset.size() - 1; }
    std::span<const uint8_t> block(size_t k) const {
        return {bytes.data() + offset[k], offset[k + 1] - offset[k]};
    }
};

/// A stream for each block, one behind the other. Resized by the op.
struct DeflateResults {
    std::vector<uint8_t> bytes;
    std::vector<uint32_t> offset{0};

    void clear();
    size_t size() const { return offset.size() - 1; }
    std::span<const uint8_t> stream(size_t k) const {
        return {bytes.data() + offset[k], offset[k + 1] - offset[k]};
    }
};

/// Blocks of 0 to k_deflate_max_block bytes, at most 2^31 in all, else the op throws std::invalid_argument.
/// Determinism class: exact-int; equal bytes on every backend, whatever the order or the split of the blocks.
/// Cost: up to three comparisons per position that no match has taken, and two passes over the tiles.
/// Thread-safe on CPU backends; scratch is kept per thread.
using DeflateFunction = void (*)(Stream&, const DeflateBatch&, DeflateResults&);

/// What a stream of a device needs for a batch of so many blocks of any size.
StreamSize deflate_stream_size(uint64_t blocks);

/// The function for a backend that is available (backend_status); nullptr where it has none: simd, and
/// devices without the kernel.
DeflateFunction deflate_function(Backend backend);

}  // namespace gannet::kernels
