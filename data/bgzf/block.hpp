// SPDX-License-Identifier: MIT
// Provides BGZF blocks: compressing one payload into one block, so that blocks are made in parallel and only
// written in order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::data::bgzf {

inline constexpr size_t k_max_payload_bytes = 65280;  ///< as htslib (BGZF_BLOCK_SIZE)
extern const std::vector<uint8_t> k_end_of_file;      ///< the 28-byte EOF marker

/// Where equal payloads give equal blocks. What they hold is the same in both cases.
enum class BlockBytes {
    on_every_machine,
    /// On machines with the same vector instructions; nearly twice as fast at level 1.
    on_this_machine,
};

/// Appends the block of a payload that was deflated elsewhere: `deflated` is a raw DEFLATE stream that holds
/// it, of at most five bytes more than the payload has. Returns the block's size in bytes.
size_t append_block(std::span<const uint8_t> payload, std::span<const uint8_t> deflated,
                    std::vector<uint8_t>& out);

/// Compresses blocks; one object per thread (it owns the compressor). A block depends on its payload only,
/// not on those before it. SAM specification 4.1. With libdeflate; at level 1 on_this_machine with ISA-L,
/// whose level 3 that is.
class BlockCompressor {
  public:
    explicit BlockCompressor(int level, BlockBytes bytes = BlockBytes::on_every_machine);  ///< 0-12
    ~BlockCompressor();
    BlockCompressor(const BlockCompressor&) = delete;
    BlockCompressor& operator=(const BlockCompressor&) = delete;
    /// Appends one complete block that holds `payload` (at most k_max_payload_bytes); returns its size in
    /// bytes.
    size_t append(std::span<const uint8_t> payload, std::vector<uint8_t>& out);

  private:
    struct FastDeflate;
    size_t deflate(std::span<const uint8_t> payload, std::span<uint8_t> out);

    void* compressor_ = nullptr;
    std::unique_ptr<FastDeflate> fast_;  ///< in place of compressor_
};

/// A whole BGZF file that holds `text`, end marker included. Level 0-12.
std::string whole_file(std::string_view text, int level);

}  // namespace gannet::data::bgzf
