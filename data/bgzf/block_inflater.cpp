// SPDX-License-Identifier: MIT
// Provides inflating of BGZF blocks with libdeflate, and their checksums with ISA-L, whose CRC takes a
// quarter of the time with AVX-512.
#include "data/bgzf/block_inflater.hpp"

#include "data/error.hpp"

#include <isa-l/crc.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace gannet::data::bgzf {
namespace {

constexpr size_t k_fixed_header_bytes = 12;
constexpr size_t k_trailer_bytes = 8;

uint16_t half(const uint8_t* at) { return static_cast<uint16_t>(at[0] | at[1] << 8); }

uint32_t word(const uint8_t* at) {
    uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

}  // namespace

size_t block_size(std::span<const uint8_t> head) {
    constexpr uint8_t k_magic[] = {0x1f, 0x8b, 8, 4};
    if (head.size() < k_fixed_header_bytes || std::memcmp(head.data(), k_magic, sizeof k_magic) != 0)
        return 0;
    const size_t extra_end = std::min(k_fixed_header_bytes + half(&head[10]), head.size());
    for (size_t at = k_fixed_header_bytes; at + 4 <= extra_end;) {
        const size_t length = half(&head[at + 2]);
        if (head[at] == 'B' && head[at + 1] == 'C' && length == 2 && at + 6 <= head.size()) {
            return size_t{half(&head[at + 4])} + 1;
        }
        at += 4 + length;
    }
    return 0;
}

size_t inflated_size(std::span<const uint8_t> block) {
    if (block.size() < 4) return 0;
    return std::min<size_t>(word(block.data() + block.size() - 4), k_max_inflated_bytes);
}

std::optional<Body> body_of(std::span<const uint8_t> block) {
    const size_t header = k_fixed_header_bytes + half(&block[10]);
    if (block.size() < header + k_trailer_bytes) return std::nullopt;
    const uint8_t* const trailer = &block[block.size() - k_trailer_bytes];
    return Body{block.subspan(header, block.size() - header - k_trailer_bytes), word(trailer + 4),
                word(trailer)};
}

std::optional<size_t> list_blocks(const StoredPiece& piece, std::span<uint8_t> out,
                                  std::vector<BatchInflater::Block>& blocks) {
    const size_t before = blocks.size();
    size_t filled = 0;
    for (std::span<const uint8_t> rest = piece.bytes(); !rest.empty();) {
        const std::span<const uint8_t> block = rest.first(block_size(rest));
        const std::optional<Body> body = body_of(block);
        if (!body || body->inflated_bytes > std::min(out.size() - filled, k_max_inflated_bytes) ||
            blocks.size() - before == BatchInflater::k_max_piece_blocks) {
            blocks.resize(before);
            return std::nullopt;
        }
        blocks.push_back({body->stream, out.subspan(filled, body->inflated_bytes), body->crc32});
        filled += body->inflated_bytes;
        rest = rest.subspan(block.size());
    }
    return filled;
}

BlockInflater::BlockInflater() : decompressor_(libdeflate_alloc_decompressor()) {
    if (decompressor_ == nullptr) throw std::bad_alloc();
}

BlockInflater::~BlockInflater() {
    libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(decompressor_));
}

size_t BlockInflater::inflate(StoredPiece& piece, std::span<uint8_t> out, const std::string& file) {
    size_t filled = 0;
    while (piece.begin != piece.end) {
        const std::span<const uint8_t> block = piece.bytes().first(block_size(piece.bytes()));
        const size_t size = inflated_size(block);
        if (size > out.size() - filled) break;
        const std::optional<Body> body = body_of(block);
        bool good = body.has_value();
        if (good) {
            uint8_t* const text = out.data() + filled;
            size_t made = 0;
            const auto result =
                libdeflate_deflate_decompress(static_cast<libdeflate_decompressor*>(decompressor_),
                                              body->stream.data(), body->stream.size(), text, size, &made);
            good = result == LIBDEFLATE_SUCCESS && made == body->inflated_bytes &&
                   crc32_gzip_refl(0, text, made) == body->crc32;
        }
        if (!good) {
            piece.error = std::make_exception_ptr(
                Error(ErrorKind::malformed_input,
                      file + ": damaged: BGZF block " + std::to_string(piece.members + 1) + ", at byte " +
                          std::to_string(piece.offset_bytes) +
                          ", does not match its size or checksum; copy or make it again"));
            piece.begin = piece.end;
            break;
        }
        filled += size;
        ++piece.members;
        piece.advance(block.size());
    }
    return filled;
}

}  // namespace gannet::data::bgzf
