// SPDX-License-Identifier: MIT
// Provides the sizes of the blocks of a BGZF file, without inflating them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gannet::data::bgzf {

/// Reads headers and trailers of blocks (SAM specification 4.1) at given offsets.
class BlockReader {
  public:
    struct Block {
        uint32_t size_bytes = 0;  ///< in the file
        uint32_t data_bytes = 0;  ///< inflated, as its trailer states
    };

    explicit BlockReader(
        const std::string& path);  ///< throws Error(malformed_input) when it cannot be opened
    ~BlockReader();
    BlockReader(const BlockReader&) = delete;
    BlockReader& operator=(const BlockReader&) = delete;

    uint64_t file_bytes() const { return file_bytes_; }
    std::optional<Block> at(uint64_t offset) const;  ///< nothing where no complete block begins

  private:
    int file_ = -1;
    uint64_t file_bytes_ = 0;
};

}  // namespace gannet::data::bgzf
