// SPDX-License-Identifier: MIT
// Provides compression of BGZF blocks with libdeflate and ISA-L.
#include "data/bgzf/block.hpp"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

namespace gannet::data::bgzf {
namespace {

constexpr size_t k_header_bytes = 18;
constexpr size_t k_trailer_bytes = 8;
constexpr size_t k_max_block_bytes = 65536;
constexpr size_t k_stored_bytes = 5;  // of a deflate block of type "stored" before its bytes
// gzip header with the extra field BC, whose value (block size - 1) is filled in for each block.
constexpr uint8_t k_header[k_header_bytes] = {0x1f, 0x8b, 8, 4,   0,   0, 0, 0, 0,
                                              0xff, 6,    0, 'B', 'C', 2, 0, 0, 0};

void put_little(uint8_t* at, uint32_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) at[i] = static_cast<uint8_t>(value >> (8 * i));
}

/// What goes around `body_bytes` of compressed payload.
void put_header(uint8_t* block, size_t body_bytes) {
    std::memcpy(block, k_header, k_header_bytes);
    put_little(block + 16, static_cast<uint32_t>(k_header_bytes + body_bytes + k_trailer_bytes - 1), 2);
}
void put_trailer(uint8_t* at, std::span<const uint8_t> payload) {
    put_little(at, crc32_gzip_refl(0, payload.data(), payload.size()), 4);
    put_little(at + 4, static_cast<uint32_t>(payload.size()), 4);
}

/// One deflate block of type "stored": what no compression makes smaller, or level 0. Returns its size.
size_t store(std::span<const uint8_t> payload, uint8_t* out) {
    out[0] = 1;
    const auto size = static_cast<uint32_t>(payload.size());
    put_little(out + 1, size, 2);
    put_little(out + 3, ~size, 2);
    std::copy(payload.begin(), payload.end(), out + k_stored_bytes);
    return payload.size() + k_stored_bytes;
}

}  // namespace

size_t append_block(std::span<const uint8_t> payload, std::span<const uint8_t> deflated,
                    std::vector<uint8_t>& out) {
    assert(payload.size() <= k_max_payload_bytes && deflated.size() <= payload.size() + k_stored_bytes);
    uint8_t header[k_header_bytes];
    uint8_t trailer[k_trailer_bytes];
    put_header(header, deflated.size());
    put_trailer(trailer, payload);
    out.insert(out.end(), header, header + k_header_bytes);
    out.insert(out.end(), deflated.begin(), deflated.end());
    out.insert(out.end(), trailer, trailer + k_trailer_bytes);
    return k_header_bytes + deflated.size() + k_trailer_bytes;
}

const std::vector<uint8_t> k_end_of_file = {0x1f, 0x8b, 8,    4, 0, 0, 0, 0, 0, 0xff, 6, 0, 'B', 'C',
                                            2,    0,    0x1b, 0, 3, 0, 0, 0, 0, 0,    0, 0, 0,   0};

/// Deflates with ISA-L at its highest level. Of BAM records that takes 0.57 of the time of libdeflate's level
/// 1 and makes blocks 0.6 % larger (docs/sorting.md).
struct BlockCompressor::FastDeflate {
    static constexpr uint32_t k_level = 3;

    isal_zstream stream;
    std::vector<uint8_t> memory = std::vector<uint8_t>(ISAL_DEF_LVL3_DEFAULT);

    /// The size of what is in `out` then; 0 if there is not enough room.
    size_t deflate(std::span<const uint8_t> payload, std::span<uint8_t> out) {
        isal_deflate_stateless_init(&stream);
        stream.level = k_level;
        stream.level_buf = memory.data();
        stream.level_buf_size = static_cast<uint32_t>(memory.size());
        stream.end_of_stream = 1;
        stream.flush = NO_FLUSH;
        stream.next_in = const_cast<uint8_t*>(payload.data());  // which it only reads
        stream.avail_in = static_cast<uint32_t>(payload.size());
        stream.next_out = out.data();
        stream.avail_out = static_cast<uint32_t>(out.size());
        return isal_deflate_stateless(&stream) == COMP_OK ? stream.total_out : 0;
    }
};

BlockCompressor::BlockCompressor(int level, BlockBytes bytes) {
    if (level == 1 && bytes == BlockBytes::on_this_machine) {
        fast_ = std::make_unique<FastDeflate>();
        return;
    }
    compressor_ = libdeflate_alloc_compressor(level);
    if (compressor_ == nullptr) throw std::bad_alloc();
}

BlockCompressor::~BlockCompressor() {
    if (compressor_ != nullptr) libdeflate_free_compressor(static_cast<libdeflate_compressor*>(compressor_));
}

/// As FastDeflate::deflate().
size_t BlockCompressor::deflate(std::span<const uint8_t> payload, std::span<uint8_t> out) {
    if (fast_) return fast_->deflate(payload, out);
    return libdeflate_deflate_compress(static_cast<libdeflate_compressor*>(compressor_), payload.data(),
                                       payload.size(), out.data(), out.size());
}

size_t BlockCompressor::append(std::span<const uint8_t> payload, std::vector<uint8_t>& out) {
    assert(payload.size() <= k_max_payload_bytes);
    // Made where the thread's last one was: `out` would have to be cleared for as much as a block may be.
    thread_local std::vector<uint8_t> memory(k_max_block_bytes);
    uint8_t* const block = memory.data();
    // No more room than storing takes, so that what grows is stored.
    const size_t room = payload.size() + k_stored_bytes;
    size_t body = deflate(payload, {block + k_header_bytes, room});
    if (body == 0) body = store(payload, block + k_header_bytes);
    const size_t size = k_header_bytes + body + k_trailer_bytes;
    put_header(block, body);
    put_trailer(block + k_header_bytes + body, payload);
    out.insert(out.end(), block, block + size);
    return size;
}

std::string whole_file(std::string_view text, int level) {
    BlockCompressor compressor(level);
    const std::span all(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    std::vector<uint8_t> blocks;
    for (size_t at = 0; at < all.size(); at += k_max_payload_bytes)
        compressor.append(all.subspan(at, std::min(all.size() - at, k_max_payload_bytes)), blocks);
    blocks.insert(blocks.end(), k_end_of_file.begin(), k_end_of_file.end());
    return {blocks.begin(), blocks.end()};
}

}  // namespace gannet::data::bgzf
