// SPDX-License-Identifier: MIT
// Provides a stretch of a compressed file as it is stored, to be inflated later or in another thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace gannet::data {

/// The bytes of `memory` in [begin, end). Inflating moves `begin` forward.
struct StoredPiece {
    enum class Kind : uint8_t {
        blocks,  ///< complete BGZF blocks, which can be inflated in any order
        gzip     ///< any stretch of gzip members, which must be inflated after the piece before it
    };
    Kind kind = Kind::blocks;
    std::vector<uint8_t> memory;
    size_t begin = 0;
    size_t end = 0;
    uint64_t members = 0;       ///< blocks: number of those before `begin` in the file; gzip: of all blocks
    uint64_t offset_bytes = 0;  ///< of `begin` in the file
    bool last = false;          ///< gzip: the file ends at `end`
    std::exception_ptr error;   ///< why nothing follows this piece; to be thrown after its text was used

    std::span<const uint8_t> bytes() const { return {memory.data() + begin, end - begin}; }
    void advance(size_t count) {
        begin += count;
        offset_bytes += count;
    }
};

}  // namespace gannet::data
