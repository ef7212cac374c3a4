// SPDX-License-Identifier: MIT
// Provides the bytes of an input file: as stored, in pieces that can be inflated elsewhere, or inflated in
// the caller's thread.
#pragma once

#include "data/file_state.hpp"
#include "data/stored_piece.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct hFILE;

namespace gannet::data {

/// Turns htslib's own messages on stderr off: what it finds is reported by us, in one line per error.
void quiet_htslib();

/// A file, or standard input for "-", whose compression is found from its first bytes: none, gzip of any
/// number of members (RFC 1952; zero bytes after the last are padding), or BGZF. Throws
/// Error(malformed_input) when it cannot be opened, on truncated or damaged gzip, on bytes after gzip data
/// that are not gzip, and on compressions that are not read (bzip2, xz, zstd, zip). A BGZF file without the
/// end marker is read: some instruments leave it out. A regular file that was changed while it was read is
/// refused when its end is reached. Either `read` or `next_piece` is used, not both.
class InputStream {
  public:
    static constexpr size_t k_min_read_bytes = 65536;
    static constexpr size_t k_max_piece_bytes = size_t{192} << 10;  ///< memory of a piece
    static constexpr size_t k_piece_text_bytes = size_t{256}
                                                 << 10;  ///< most that a piece of blocks inflates to

    explicit InputStream(const std::string& path);
    ~InputStream();
    InputStream(const InputStream&) = delete;
    InputStream& operator=(const InputStream&) = delete;

    const std::string& name() const { return name_; }    ///< the path, or "stdin", for messages
    uint64_t size_bytes() const { return size_bytes_; }  ///< as stored, compressed or not; 0 when unknown
    /// Bytes of the file that have been read so far. Thread-safe.
    uint64_t position_bytes() const { return position_bytes_.load(std::memory_order_relaxed); }
    bool compressed() const { return compression_ != Compression::none; }
    bool holds_alignments() const { return holds_alignments_; }  ///< SAM, BAM or CRAM, by content
    enum class Variants { none, vcf, bcf };
    Variants holds_variants() const { return variants_; }  ///< by content
    /// A regular file of BGZF that does not end with the marker of its end.
    bool is_truncated_bgzf() const;
    hFILE* release();  ///< the open file at its first byte, for htslib
    /// Fills `out` (at least k_min_read_bytes) from the front and returns how much; 0 at the end only.
    size_t read(std::span<uint8_t> out);
    /// Reads the next piece of a compressed file; false at the end, when `piece` is left as it was. Where
    /// pieces are cut depends on the file only. Does not throw what is wrong with the file: `piece.error`
    /// holds it, and the piece is the last one.
    bool next_piece(StoredPiece& piece);

  private:
    enum class Compression { none, gzip, bgzf };
    struct Inflaters;

    [[noreturn]] void fail(const std::string& cause) const;
    void refuse_foreign_compression(std::span<const uint8_t> head) const;
    size_t read_stored(std::span<uint8_t> out);
    void fill(StoredPiece& piece, size_t end);
    void cut_blocks(StoredPiece& piece);
    void cut_gzip(StoredPiece& piece);

    std::string name_;
    FileState state_;  ///< when it was opened
    uint64_t size_bytes_ = 0;
    std::atomic<uint64_t> position_bytes_{0};
    hFILE* file_ = nullptr;
    Compression compression_ = Compression::none;
    bool holds_alignments_ = false;
    Variants variants_ = Variants::none;
    std::vector<uint8_t> carry_;  ///< read, but after the end of the last piece
    uint64_t offset_bytes_ = 0;   ///< of the first byte of `carry_`
    uint64_t blocks_ = 0;
    bool file_ended_ = false;
    bool ended_ = false;                    ///< no piece follows
    std::unique_ptr<Inflaters> inflaters_;  ///< of `read`
};

}  // namespace gannet::data
