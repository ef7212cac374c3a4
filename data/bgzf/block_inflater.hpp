// SPDX-License-Identifier: MIT
// Provides inflating of BGZF blocks, each by itself, so that several threads can share a file.
#pragma once

#include "data/batch_inflater.hpp"
#include "data/stored_piece.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gannet::data::bgzf {

inline constexpr size_t k_max_inflated_bytes = 65536;  ///< of a block (SAM specification 4.1)

/// Total size of the BGZF block that begins at `head`; 0 when it is another gzip member or `head` is too
/// short.
size_t block_size(std::span<const uint8_t> head);
/// What the trailer of a complete block states, but at most k_max_inflated_bytes.
size_t inflated_size(std::span<const uint8_t> block);

/// Of a complete block what it holds, and what its trailer states of it.
struct Body {
    std::span<const uint8_t> stream;  ///< raw DEFLATE
    uint32_t inflated_bytes = 0;
    uint32_t crc32 = 0;
};
/// Nothing where header and trailer do not fit into the block.
std::optional<Body> body_of(std::span<const uint8_t> block);

/// Appends the blocks of `piece`, each with its place in `out`, to `blocks`. Returns the bytes of all;
/// nothing where one is not as it should be, or there are more than BatchInflater::k_max_piece_blocks.
std::optional<size_t> list_blocks(const StoredPiece& piece, std::span<uint8_t> out,
                                  std::vector<BatchInflater::Block>& blocks);

/// Inflates with libdeflate and checks size and CRC-32 of every block; one object per thread (it owns the
/// decompressor).
class BlockInflater {
  public:
    BlockInflater();
    ~BlockInflater();
    BlockInflater(const BlockInflater&) = delete;
    BlockInflater& operator=(const BlockInflater&) = delete;
    /// Inflates blocks from the front of `piece`, which holds complete blocks, until it is empty or the next
    /// block does not fit into `out`; returns the bytes written. A damaged block ends the piece: what was
    /// inflated before it is returned, and `piece.error` is Error(malformed_input) that names `file`, the
    /// number of the block and its offset.
    size_t inflate(StoredPiece& piece, std::span<uint8_t> out, const std::string& file);

  private:
    void* decompressor_;
};

}  // namespace gannet::data::bgzf
