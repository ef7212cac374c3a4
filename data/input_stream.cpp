// SPDX-License-Identifier: MIT
// Provides reading of input files, cutting of compressed ones into pieces, and inflating in the caller's
// thread.
#include "data/input_stream.hpp"

#include "data/bgzf/block_inflater.hpp"
#include "data/error.hpp"
#include "data/gzip_inflater.hpp"

#include <htslib/hfile.h>
#include <htslib/hts.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace gannet::data {
namespace {

// A piece of blocks ends at the first block that begins at or after this byte; the block may have 64 KiB.
constexpr size_t k_piece_bytes = size_t{128} << 10;
constexpr size_t k_max_block_bytes = 65536;
static_assert(k_piece_bytes + k_max_block_bytes == InputStream::k_max_piece_bytes);
constexpr size_t k_min_block_bytes = 26;  // header and trailer

bool begins_gzip(std::span<const uint8_t> head) {
    return head.size() >= 2 && head[0] == 0x1f && head[1] == 0x8b;
}

}  // namespace

void quiet_htslib() { hts_set_log_level(HTS_LOG_OFF); }

struct InputStream::Inflaters {
    explicit Inflaters(const std::string& name) : gzip(name) {}
    bgzf::BlockInflater blocks;
    GzipInflater gzip;
    StoredPiece piece;
    bool has_piece = false;
};

InputStream::InputStream(const std::string& path) : name_(path == "-" ? "stdin" : path) {
    quiet_htslib();
    state_ = FileState::of(path);
    file_ = hopen(path.c_str(), "r");
    if (file_ == nullptr) throw_cannot_open(name_, errno);
    struct stat status = {};
    if (path != "-" && stat(path.c_str(), &status) == 0) {
        if (S_ISDIR(status.st_mode)) {
            hclose_abruptly(file_);
            throw Error(ErrorKind::malformed_input, name_ + ": is a folder, not a file");
        }
        size_bytes_ = static_cast<uint64_t>(status.st_size);
    }
    try {
        uint8_t bytes[64];
        const ssize_t got = hpeek(file_, bytes, sizeof bytes);
        if (got < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
        const std::span<const uint8_t> head(bytes, static_cast<size_t>(got));
        refuse_foreign_compression(head);
        if (begins_gzip(head))
            compression_ = bgzf::block_size(head) != 0 ? Compression::bgzf : Compression::gzip;
        htsFormat format;
        if (got > 0 && hts_detect_format2(file_, path.c_str(), &format) == 0) {
            if (format.format == ::vcf) variants_ = Variants::vcf;
            if (format.format == ::bcf) variants_ = Variants::bcf;
            holds_alignments_ = format.format == ::sam || format.format == ::bam || format.format == ::cram;
        }
    } catch (...) {
        hclose_abruptly(file_);
        throw;
    }
}

InputStream::~InputStream() {
    if (file_ != nullptr) hclose_abruptly(file_);
}

bool InputStream::is_truncated_bgzf() const {
    constexpr uint8_t k_marker[28] = {0x1f, 0x8b, 8,    4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43,
                                      2,    0,    0x1b, 0, 3, 0, 0, 0, 0, 0,    0, 0, 0,    0};
    if (!state_.regular || compression_ != Compression::bgzf) return false;
    return state_.size_bytes < sizeof k_marker ||
           std::memcmp(
               state_.end.data() + std::min<uint64_t>(state_.size_bytes, state_.end.size()) - sizeof k_marker,
               k_marker, sizeof k_marker) != 0;
}

hFILE* InputStream::release() { return std::exchange(file_, nullptr); }

void InputStream::fail(const std::string& cause) const { throw_malformed(name_, cause); }

void InputStream::refuse_foreign_compression(std::span<const uint8_t> head) const {
    constexpr std::pair<std::string_view, const char*> known[] = {
        {{"BZh", 3}, "bzip2"},      {{"\xfd\x37zXZ\0", 6}, "xz"},         {{"\x28\xb5\x2f\xfd", 4}, "zstd"},
        {{"PK\x03\x04", 4}, "zip"}, {{"7z\xbc\xaf\x27\x1c", 6}, "7-zip"},
    };
    for (const auto& [magic, tool] : known) {
        if (head.size() >= magic.size() && std::memcmp(head.data(), magic.data(), magic.size()) == 0) {
            fail(std::string("is compressed by ") + tool +
                 ", which is not read: recompress it with bgzip or gzip");
        }
    }
}

size_t InputStream::read_stored(std::span<uint8_t> out) {
    size_t filled = 0;
    while (filled < out.size()) {
        const ssize_t got = hread(file_, out.data() + filled, out.size() - filled);
        if (got < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
        if (got == 0) {
            // Under another file's name the one that is open here is unchanged.
            const FileState now = FileState::of(name_);
            if (now.inode == state_.inode && now.device == state_.device)
                state_.require_unchanged(name_, now);
            break;
        }
        filled += static_cast<size_t>(got);
        position_bytes_.fetch_add(static_cast<uint64_t>(got), std::memory_order_relaxed);
    }
    return filled;
}

/// Reads on until the piece ends at `end`, or at the end of the file.
void InputStream::fill(StoredPiece& piece, size_t end) {
    if (file_ended_ || piece.end >= end) return;
    piece.end += read_stored({piece.memory.data() + piece.end, end - piece.end});
    file_ended_ = piece.end < end;
}

bool InputStream::next_piece(StoredPiece& piece) {
    assert(compressed());
    if (ended_) return false;
    piece.memory.resize(k_max_piece_bytes);
    piece.begin = 0;
    piece.end = carry_.size();
    std::copy(carry_.begin(), carry_.end(), piece.memory.begin());
    carry_.clear();
    piece.offset_bytes = offset_bytes_;
    piece.last = false;
    piece.error = nullptr;
    piece.members = blocks_;
    try {
        if (compression_ == Compression::bgzf) {
            cut_blocks(piece);
        } else {
            cut_gzip(piece);
        }
    } catch (...) {
        piece.error = std::current_exception();
        ended_ = true;
    }
    offset_bytes_ += piece.end;
    return true;
}

/// Ends the piece after as many complete blocks as it may hold. At a gzip member that is not a block, the
/// rest of the file becomes plain gzip.
void InputStream::cut_blocks(StoredPiece& piece) {
    piece.kind = StoredPiece::Kind::blocks;
    size_t at = 0;
    size_t text = 0;
    while (at < k_piece_bytes) {
        try {
            fill(piece, at + k_max_block_bytes);
        } catch (...) {
            piece.end = at;
            throw;
        }
        const std::span<const uint8_t> rest = piece.bytes().subspan(at);
        if (rest.empty()) {
            ended_ = true;
            return;
        }
        const size_t size = bgzf::block_size(rest);
        if (size == 0) {
            compression_ = Compression::gzip;
            break;
        }
        const std::string where = "BGZF block " + std::to_string(blocks_ + 1) + ", at byte " +
                                  std::to_string(piece.offset_bytes + at);
        if (size > rest.size() || size < k_min_block_bytes) {
            piece.end = at;
            fail(size < k_min_block_bytes
                     ? "damaged: wrong size of " + where + "; copy or make it again"
                     : "truncated: the file ends inside " + where + "; copy or make it again");
        }
        const size_t inflated = bgzf::inflated_size(rest.first(size));
        if (text + inflated > k_piece_text_bytes) break;
        text += inflated;
        at += size;
        ++blocks_;
    }
    carry_.assign(piece.memory.data() + at, piece.memory.data() + piece.end);
    piece.end = at;
}

void InputStream::cut_gzip(StoredPiece& piece) {
    piece.kind = StoredPiece::Kind::gzip;
    fill(piece, k_piece_bytes);
    piece.last = ended_ = file_ended_;
}

size_t InputStream::read(std::span<uint8_t> out) {
    assert(out.size() >= k_min_read_bytes);
    if (!compressed()) return read_stored(out);
    if (!inflaters_) inflaters_ = std::make_unique<Inflaters>(name_);
    Inflaters& with = *inflaters_;
    size_t filled = 0;
    for (;;) {
        if (!with.has_piece && !next_piece(with.piece)) return filled;
        with.has_piece = true;
        const std::span<uint8_t> room = out.subspan(filled);
        bool done = false;
        if (with.piece.kind == StoredPiece::Kind::blocks) {
            filled += with.blocks.inflate(with.piece, room, name_);
            done = with.piece.begin == with.piece.end;
        } else {
            const GzipInflater::Result result = with.gzip.inflate(with.piece, room);
            filled += result.bytes;
            done = result.piece_done;
        }
        if (!done) return filled;
        if (with.piece.error) std::rethrow_exception(with.piece.error);
        with.has_piece = false;
    }
}

}  // namespace gannet::data
