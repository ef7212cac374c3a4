// SPDX-License-Identifier: MIT
// Provides the bytes of an input file, inflated if it is gzip or BGZF, in the caller's thread or read ahead
// by another thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

struct hFILE;

namespace gannet::data {

/// Turns htslib's own messages on stderr off: what it finds is reported by us, in one line per error.
void quiet_htslib();

/// A file, or standard input for "-", whose compression is found from its first bytes: none, gzip of any
/// number of members (RFC 1952; zero bytes after the last are padding), or BGZF. Throws
/// Error(malformed_input) when it cannot be opened, on truncated or damaged gzip, on bytes after gzip data
/// that are not gzip, and on compressions that are not read (bzip2, xz, zstd, zip). A BGZF file without the
/// end marker is read: some instruments leave it out.
class InputStream {
  public:
    static constexpr size_t k_min_read_bytes = 65536;

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
    hFILE* release();  ///< the open file at its first byte, for htslib
    /// Fills `out` (at least k_min_read_bytes) from the front and returns how much; 0 at the end only.
    size_t read(std::span<uint8_t> out);

  private:
    enum class Compression { none, gzip, bgzf };
    struct Inflaters;

    [[noreturn]] void fail(const std::string& cause) const;
    void refuse_foreign_compression(std::span<const uint8_t> head) const;
    bool refill(size_t wanted_bytes);
    size_t read_raw(std::span<uint8_t> out);
    size_t read_bgzf(std::span<uint8_t> out);
    size_t read_gzip(std::span<uint8_t> out);
    bool begin_member();

    std::string name_;
    uint64_t size_bytes_ = 0;
    std::atomic<uint64_t> position_bytes_{0};
    hFILE* file_ = nullptr;
    Compression compression_ = Compression::none;
    bool holds_alignments_ = false;
    std::unique_ptr<Inflaters> inflaters_;
    std::vector<uint8_t> input_;
    size_t input_begin_ = 0;
    size_t input_end_ = 0;
    bool input_ended_ = false;
    bool in_member_ = false;
    uint64_t members_ = 0;
};

/// Reads an InputStream ahead in a separate thread, in large chunks that are reused. `next` gives a window
/// of contiguous bytes that begins with what the caller has kept of the previous window. Who keeps more and
/// more makes the window grow: callers limit the length of a record.
class ReadAhead {
  public:
    explicit ReadAhead(std::unique_ptr<InputStream> stream);
    ~ReadAhead();
    ReadAhead(const ReadAhead&) = delete;
    ReadAhead& operator=(const ReadAhead&) = delete;

    const std::string& name() const { return stream_->name(); }
    uint64_t position_bytes() const { return stream_->position_bytes(); }  ///< read ahead, in the file
    /// The last `kept` bytes of the previous window, and new bytes after them; without new ones (same size as
    /// `kept`) at the end of the file. Invalidates the previous window. Rethrows what the stream threw.
    std::span<const char> next(size_t kept);

  private:
    struct Chunk {
        std::vector<uint8_t> memory;
        size_t begin = 0;
        size_t end = 0;
    };
    void run();
    void reserve_front(Chunk& chunk, size_t bytes);

    std::unique_ptr<InputStream> stream_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Chunk> filled_;
    std::vector<Chunk> free_;
    Chunk current_;
    bool ended_ = false;
    bool stopping_ = false;
    std::exception_ptr error_;
    std::thread thread_;
};

/// The lines of a text file, without their newlines. A line longer than `max_line_bytes` is
/// Error(malformed_input), so that memory stays bounded whatever the file is.
class LineReader {
  public:
    static constexpr size_t k_max_line_bytes = size_t{1} << 20;

    explicit LineReader(std::unique_ptr<InputStream> stream, size_t max_line_bytes = k_max_line_bytes)
        : input_(std::move(stream)), max_line_bytes_(max_line_bytes) {}
    const std::string& name() const { return input_.name(); }
    uint64_t number() const { return number_; }  ///< 1-based, of the line read last
    bool read(std::string_view& line);           ///< valid until the next call; false at the end

  private:
    ReadAhead input_;
    size_t max_line_bytes_;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    uint64_t number_ = 0;
};

}  // namespace gannet::data
