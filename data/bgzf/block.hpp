// SPDX-License-Identifier: MIT
// Provides BGZF blocks: compressing one payload into one block, so that blocks are made in parallel and only
// written in order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::data::bgzf {

inline constexpr size_t k_max_payload_bytes = 65280;  ///< as htslib (BGZF_BLOCK_SIZE)
extern const std::vector<uint8_t> k_end_of_file;      ///< the 28-byte EOF marker

/// Compresses blocks with libdeflate; one object per thread (it owns the compressor). SAM specification 4.1.
class BlockCompressor {
  public:
    explicit BlockCompressor(int level);  ///< 0-12
    ~BlockCompressor();
    BlockCompressor(const BlockCompressor&) = delete;
    BlockCompressor& operator=(const BlockCompressor&) = delete;
    /// Appends one complete block that holds `payload` (at most k_max_payload_bytes); returns its size in
    /// bytes.
    size_t append(std::span<const uint8_t> payload, std::vector<uint8_t>& out);

  private:
    void* compressor_;
};

}  // namespace gannet::data::bgzf
