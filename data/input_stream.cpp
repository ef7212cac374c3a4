// SPDX-License-Identifier: MIT
// Provides inflating of gzip (isa-l) and BGZF (libdeflate) inputs and reading them ahead.
#include "data/input_stream.hpp"

#include "data/error.hpp"

#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace gannet::data {
namespace {

constexpr size_t k_input_bytes = size_t{1} << 18;
constexpr size_t k_chunk_bytes = size_t{1} << 19;
constexpr size_t k_headroom_bytes = size_t{1} << 14;
constexpr size_t k_chunks = 4;
constexpr size_t k_gzip_header_bytes = 10;
constexpr size_t k_gzip_trailer_bytes = 8;

uint32_t word(const uint8_t* at) {
    uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

uint16_t half(const uint8_t* at) { return static_cast<uint16_t>(at[0] | at[1] << 8); }

bool begins_gzip(std::span<const uint8_t> head) {
    return head.size() >= 2 && head[0] == 0x1f && head[1] == 0x8b;
}

/// Total size of the BGZF block that begins at `head`; 0 when it is another gzip member or `head` is too
/// short.
size_t bgzf_block_size(std::span<const uint8_t> head) {
    if (head.size() < 12 || !begins_gzip(head) || head[2] != 8 || head[3] != 4) return 0;
    const size_t extra_end = 12 + size_t{half(&head[10])};
    for (size_t at = 12; at + 4 <= std::min(extra_end, head.size());) {
        const size_t length = half(&head[at + 2]);
        if (head[at] == 'B' && head[at + 1] == 'C' && length == 2 && at + 6 <= head.size()) {
            return size_t{half(&head[at + 4])} + 1;
        }
        at += 4 + length;
    }
    return 0;
}

}  // namespace

void quiet_htslib() { hts_set_log_level(HTS_LOG_OFF); }

struct InputStream::Inflaters {
    inflate_state gzip;
    libdeflate_decompressor* blocks = libdeflate_alloc_decompressor();

    Inflaters() {
        if (blocks == nullptr) throw std::bad_alloc();
        isal_inflate_init(&gzip);
    }
    ~Inflaters() { libdeflate_free_decompressor(blocks); }
    Inflaters(const Inflaters&) = delete;
    Inflaters& operator=(const Inflaters&) = delete;
};

InputStream::InputStream(const std::string& path) : name_(path == "-" ? "stdin" : path) {
    quiet_htslib();
    file_ = hopen(path.c_str(), "r");
    if (file_ == nullptr)
        throw Error(ErrorKind::malformed_input, name_ + ": cannot be opened: " + std::strerror(errno));
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
            compression_ = bgzf_block_size(head) != 0 ? Compression::bgzf : Compression::gzip;
        htsFormat format;
        if (got > 0 && hts_detect_format2(file_, path.c_str(), &format) == 0) {
            holds_alignments_ = format.format == ::sam || format.format == ::bam || format.format == ::cram;
        }
        if (compressed()) inflaters_ = std::make_unique<Inflaters>();
        if (compressed()) input_.resize(k_input_bytes);
    } catch (...) {
        hclose_abruptly(file_);
        throw;
    }
}

InputStream::~InputStream() {
    if (file_ != nullptr) hclose_abruptly(file_);
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

/// Makes at least `wanted_bytes` of input available where the file has them; false when it has fewer.
bool InputStream::refill(size_t wanted_bytes) {
    if (input_end_ - input_begin_ >= wanted_bytes) return true;
    std::memmove(input_.data(), input_.data() + input_begin_, input_end_ - input_begin_);
    input_end_ -= input_begin_;
    input_begin_ = 0;
    while (input_end_ < wanted_bytes && !input_ended_) {
        const ssize_t got = hread(file_, input_.data() + input_end_, input_.size() - input_end_);
        if (got < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
        if (got == 0) input_ended_ = true;
        input_end_ += static_cast<size_t>(got);
        position_bytes_.fetch_add(static_cast<uint64_t>(got), std::memory_order_relaxed);
    }
    return input_end_ >= wanted_bytes;
}

size_t InputStream::read(std::span<uint8_t> out) {
    assert(out.size() >= k_min_read_bytes);
    switch (compression_) {
        case Compression::none:
            return read_raw(out);
        case Compression::bgzf:
            return read_bgzf(out);
        default:
            return read_gzip(out);
    }
}

size_t InputStream::read_raw(std::span<uint8_t> out) {
    size_t filled = 0;
    while (filled < out.size()) {
        const ssize_t got = hread(file_, out.data() + filled, out.size() - filled);
        if (got < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
        if (got == 0) break;
        filled += static_cast<size_t>(got);
        position_bytes_.fetch_add(static_cast<uint64_t>(got), std::memory_order_relaxed);
    }
    return filled;
}

size_t InputStream::read_bgzf(std::span<uint8_t> out) {
    size_t filled = 0;
    while (out.size() - filled >= k_min_read_bytes) {
        refill(65536);
        const std::span<const uint8_t> input(input_.data() + input_begin_, input_end_ - input_begin_);
        if (input.empty()) return filled;
        const size_t block = bgzf_block_size(input);
        if (block == 0) {  // a plain gzip member among BGZF blocks: read_gzip reads both
            compression_ = Compression::gzip;
            return filled != 0 ? filled : read_gzip(out);
        }
        ++members_;
        const std::string where = "BGZF block " + std::to_string(members_);
        if (block > input.size())
            fail("truncated: the file ends inside " + where + "; copy or make it again");
        const size_t header = 12 + size_t{half(&input[10])};
        if (block < header + k_gzip_trailer_bytes) fail("damaged: wrong size of " + where);
        size_t made = 0;
        const auto result = libdeflate_deflate_decompress(inflaters_->blocks, &input[header],
                                                          block - header - k_gzip_trailer_bytes,
                                                          out.data() + filled, k_min_read_bytes, &made);
        const uint8_t* trailer = &input[block - k_gzip_trailer_bytes];
        if (result != LIBDEFLATE_SUCCESS || made != word(trailer + 4) ||
            libdeflate_crc32(0, out.data() + filled, made) != word(trailer)) {
            fail("damaged: " + where + " does not match its checksum; copy or make it again");
        }
        filled += made;
        input_begin_ += block;
    }
    return filled;
}

/// Moves to the beginning of the next gzip member; false at the end of the data.
bool InputStream::begin_member() {
    refill(k_gzip_header_bytes + k_gzip_trailer_bytes);
    const std::span<const uint8_t> input(input_.data() + input_begin_, input_end_ - input_begin_);
    if (input.empty()) return false;
    if (begins_gzip(input)) {
        isal_inflate_reset(&inflaters_->gzip);
        inflaters_->gzip.crc_flag = ISAL_GZIP;
        in_member_ = true;
        ++members_;
        return true;
    }
    do {  // tapes and block devices pad with zeros
        const auto* from = input_.data() + input_begin_;
        const auto* to = input_.data() + input_end_;
        if (std::any_of(from, to, [](uint8_t byte) { return byte != 0; })) {
            fail("bytes that are not gzip follow gzip member " + std::to_string(members_) +
                 ": the file is damaged or was joined with something else");
        }
        input_begin_ = input_end_;
    } while (refill(1));
    return false;
}

size_t InputStream::read_gzip(std::span<uint8_t> out) {
    inflate_state& state = inflaters_->gzip;
    size_t filled = 0;
    while (filled < out.size()) {
        if (!in_member_ && !begin_member()) break;
        const bool more = refill(1);
        state.next_in = input_.data() + input_begin_;
        state.avail_in = static_cast<uint32_t>(input_end_ - input_begin_);
        state.next_out = out.data() + filled;
        state.avail_out = static_cast<uint32_t>(out.size() - filled);
        const uint32_t room = state.avail_out;
        const int result = isal_inflate(&state);
        const uint32_t made = room - state.avail_out;
        input_begin_ = input_end_ - state.avail_in;
        filled += made;
        if (result == ISAL_INCORRECT_CHECKSUM) {
            fail("damaged: the checksum of gzip member " + std::to_string(members_) +
                 " is wrong; copy or make it again");
        }
        if (result != ISAL_DECOMP_OK) {
            fail("damaged: gzip member " + std::to_string(members_) +
                 " cannot be inflated; copy or make it again");
        }
        if (state.block_state == ISAL_BLOCK_FINISH) {
            in_member_ = false;
        } else if (!more && made == 0 && state.avail_out > 0) {
            fail("truncated: the file ends inside gzip member " + std::to_string(members_) +
                 "; copy or make it again");
        }
    }
    return filled;
}

ReadAhead::ReadAhead(std::unique_ptr<InputStream> stream) : stream_(std::move(stream)), free_(k_chunks) {
    thread_ = std::thread([this] { run(); });
}

ReadAhead::~ReadAhead() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void ReadAhead::run() {
    try {
        for (;;) {
            Chunk chunk;
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [this] { return stopping_ || !free_.empty(); });
                if (stopping_) return;
                chunk = std::move(free_.back());
                free_.pop_back();
            }
            if (chunk.memory.size() < k_headroom_bytes + k_chunk_bytes) {
                chunk.memory.resize(k_headroom_bytes + k_chunk_bytes);
            }
            chunk.begin = chunk.memory.size() - k_chunk_bytes;
            chunk.end = chunk.begin + stream_->read({chunk.memory.data() + chunk.begin, k_chunk_bytes});
            const bool last = chunk.end == chunk.begin;
            {
                const std::lock_guard lock(mutex_);
                if (!last) filled_.push_back(std::move(chunk));
                ended_ = last;
            }
            changed_.notify_all();
            if (last) return;
        }
    } catch (...) {
        {
            const std::lock_guard lock(mutex_);
            error_ = std::current_exception();
            ended_ = true;
        }
        changed_.notify_all();
    }
}

void ReadAhead::reserve_front(Chunk& chunk, size_t bytes) {
    if (chunk.begin >= bytes) return;
    const size_t size = chunk.end - chunk.begin;
    const size_t begin = 2 * bytes;  // doubled, so that a long record costs linear time
    std::vector<uint8_t> wider(begin + std::max(size, k_chunk_bytes));
    std::memcpy(wider.data() + begin, chunk.memory.data() + chunk.begin, size);
    chunk.memory = std::move(wider);
    chunk.begin = begin;
    chunk.end = begin + size;
}

std::span<const char> ReadAhead::next(size_t kept) {
    Chunk chunk;
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !filled_.empty() || ended_; });
        if (filled_.empty()) {
            if (error_) std::rethrow_exception(error_);
            const auto* end = reinterpret_cast<const char*>(current_.memory.data()) + current_.end;
            return {end - kept, kept};
        }
        chunk = std::move(filled_.front());
        filled_.pop_front();
    }
    reserve_front(chunk, kept);
    chunk.begin -= kept;
    if (kept != 0)
        std::memcpy(chunk.memory.data() + chunk.begin, current_.memory.data() + current_.end - kept, kept);
    std::swap(chunk, current_);
    if (!chunk.memory.empty()) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(chunk));
    }
    changed_.notify_all();
    return {reinterpret_cast<const char*>(current_.memory.data()) + current_.begin,
            current_.end - current_.begin};
}

bool LineReader::read(std::string_view& line) {
    for (;;) {
        const auto rest = static_cast<size_t>(end_ - at_);
        const auto* newline = rest == 0 ? nullptr : static_cast<const char*>(std::memchr(at_, '\n', rest));
        if (newline != nullptr) {
            line = {at_, static_cast<size_t>(newline - at_)};
            at_ = newline + 1;
            break;
        }
        if (rest > max_line_bytes_) {
            throw_malformed(name(), number_ + 1,
                            "its line is longer than " + std::to_string(max_line_bytes_ >> 20) +
                                " MiB, the limit: this is another format, or the file is damaged");
        }
        const std::span<const char> window = input_.next(rest);
        at_ = window.data();
        end_ = at_ + window.size();
        if (window.size() != rest) continue;
        if (rest == 0) return false;
        line = {at_, rest};
        at_ = end_;
        break;
    }
    ++number_;
    return true;
}

}  // namespace gannet::data
