// SPDX-License-Identifier: MIT
// Provides the division of records into streams and their compression by zstd.
#include "align/sort/record_codec.hpp"

#include "align/sort/packed_bases.hpp"
#include "data/error.hpp"
#include "data/record.hpp"
#include "data/stream_codec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

namespace gannet::align::sort {
namespace {

enum Stream : size_t { k_fields, k_names, k_tags, k_bases, k_qualities, k_streams };

constexpr size_t k_fixed_bytes = 32;  // of a BAM record
constexpr size_t k_row_bytes = k_frame_bytes + k_fixed_bytes;
constexpr size_t k_header_bytes = 4 + 8 + k_row_bytes + 8 * k_streams;

[[noreturn]] void fail(const char* what) {
    throw data::Error(data::ErrorKind::internal, std::string("spilled records: ") + what);
}

template <class T>
T get(const uint8_t* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class T>
void put(uint8_t* at, T value) {
    std::memcpy(at, &value, sizeof value);
}

/// The fields of a record that follow from others in most records. All arithmetic is modulo 2^32, so that
/// any record comes back as it was.
struct Expected {
    uint32_t contig, position, length;

    uint16_t bin() const {
        const auto begin = static_cast<int32_t>(position);
        return data::bam_bin(begin, int64_t{begin} + std::max<uint32_t>(length, 1));
    }
    /// TLEN where the mate begins `distance` after this record, and both have this length.
    uint32_t template_length(uint32_t distance) const {
        const auto away = static_cast<int32_t>(distance);
        if (away == 0) return 0;
        return away > 0 ? distance + length : distance - length;
    }
};

/// Sizes of the parts of a record behind its fixed fields.
struct Parts {
    explicit Parts(const uint8_t* record)
        : name(record[8]),
          cigar(size_t{4} * get<uint16_t>(record + 12)),
          qualities(get<uint32_t>(record + 16)),
          nibbles((qualities + 1) / 2) {}
    size_t before_tags() const { return k_fixed_bytes + name + cigar + nibbles + qualities; }
    size_t name, cigar, qualities, nibbles;
};

/// Turns the frame's numbers into small or repeated ones: `row` has the bytes that `frame` begins with.
void reduce(const uint8_t* frame, uint64_t last_ordinal, size_t tag_bytes, uint8_t* row) {
    const uint8_t* const record = frame + k_frame_bytes;
    const Expected expected = {get<uint32_t>(record), get<uint32_t>(record + 4), get<uint32_t>(record + 16)};
    std::memcpy(row, frame, k_row_bytes);
    put(row, get<uint64_t>(frame) - last_ordinal);
    put(row + 8, static_cast<uint32_t>(tag_bytes));
    uint8_t* const fields = row + k_frame_bytes;
    const uint32_t distance = get<uint32_t>(record + 24) - expected.position;
    put(fields + 10, static_cast<uint16_t>(get<uint16_t>(record + 10) ^ expected.bin()));
    put(fields + 20, get<uint32_t>(record + 20) - expected.contig);
    put(fields + 24, distance);
    put(fields + 28, get<uint32_t>(record + 28) - expected.template_length(distance));
}

/// The inverse, in place; returns the bytes of tags.
size_t restore(uint8_t* frame, uint64_t last_ordinal) {
    uint8_t* const record = frame + k_frame_bytes;
    const Expected expected = {get<uint32_t>(record), get<uint32_t>(record + 4), get<uint32_t>(record + 16)};
    const size_t tag_bytes = get<uint32_t>(frame + 8);
    const auto distance = get<uint32_t>(record + 24);
    put(frame, get<uint64_t>(frame) + last_ordinal);
    put(frame + 8, static_cast<uint32_t>(Parts(record).before_tags() + tag_bytes));
    put(record + 10, static_cast<uint16_t>(get<uint16_t>(record + 10) ^ expected.bin()));
    put(record + 20, get<uint32_t>(record + 20) + expected.contig);
    put(record + 24, distance + expected.position);
    put(record + 28, get<uint32_t>(record + 28) + expected.template_length(distance));
    return tag_bytes;
}

size_t common_prefix(std::span<const uint8_t> a, std::span<const uint8_t> b) {
    const size_t size = std::min(a.size(), b.size());
    size_t at = 0;
    for (; at + 8 <= size; at += 8) {
        const uint64_t differs = get<uint64_t>(a.data() + at) ^ get<uint64_t>(b.data() + at);
        if (differs != 0) return at + static_cast<size_t>(std::countr_zero(differs)) / 8;
    }
    while (at < size && a[at] == b[at]) ++at;
    return at;
}

/// Takes bytes off the front of a stream.
class Taker {
  public:
    explicit Taker(std::span<const uint8_t> bytes) : bytes_(bytes) {}
    const uint8_t* take(size_t size) {
        if (size > bytes_.size()) fail("a stream ends early");
        const uint8_t* const at = bytes_.data();
        bytes_ = bytes_.subspan(size);
        return at;
    }
    /// Copies the next bytes. An empty stream has no address, which memcpy must not be given.
    void copy(size_t size, uint8_t* to) {
        const uint8_t* const from = take(size);
        if (size != 0) std::memcpy(to, from, size);
    }
    bool empty() const { return bytes_.empty(); }

  private:
    std::span<const uint8_t> bytes_;
};

/// Room for a stream that grows by appending; nothing is cleared when it grows.
class Buffer {
  public:
    /// At least `size` bytes from the end on; `add` makes those that were written part of the stream.
    uint8_t* reserve(size_t size) {
        if (capacity_ - size_ < size) {
            const size_t capacity = std::max(size_ + size, 2 * capacity_);
            std::unique_ptr<uint8_t[]> larger(new uint8_t[capacity]);
            if (size_ != 0) std::memcpy(larger.get(), bytes_.get(), size_);
            bytes_ = std::move(larger);
            capacity_ = capacity;
        }
        return bytes_.get() + size_;
    }
    void add(size_t size) { size_ += size; }
    void append(const uint8_t* from, size_t size) {
        if (size == 0) return;
        std::memcpy(reserve(size), from, size);
        add(size);
    }
    void clear() { size_ = 0; }
    std::span<uint8_t> bytes() { return {bytes_.get(), size_}; }

  private:
    std::unique_ptr<uint8_t[]> bytes_;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

}  // namespace

struct RecordCodec::State {
    data::StreamCodec codec;
    std::array<Buffer, k_streams> streams;
    Buffer rows;  // of reduced fields, one after another
    Buffer stored;

    void divide(std::span<const std::span<const uint8_t>> pieces);
    void divide_record(const uint8_t* record, size_t size, std::span<const uint8_t>& last_name);
    size_t compress(Stream stream);
};

void RecordCodec::State::divide_record(const uint8_t* record, size_t size,
                                       std::span<const uint8_t>& last_name) {
    const Parts parts(record);
    const uint8_t* const name_begin = record + k_fixed_bytes;
    const std::span<const uint8_t> name(name_begin, parts.name);
    const size_t common = common_prefix(name, last_name);
    *streams[k_names].reserve(1) = static_cast<uint8_t>(common);  // names have less than 256 bytes
    streams[k_names].add(1);
    streams[k_names].append(name_begin + common, parts.name - common);
    last_name = name;

    const uint8_t* const cigar = name_begin + parts.name;
    const uint8_t* const nibbles = cigar + parts.cigar;
    const uint8_t* const qualities = nibbles + parts.nibbles;
    const uint8_t* const tags = qualities + parts.qualities;
    streams[k_tags].append(cigar, parts.cigar);
    streams[k_tags].append(tags, size - parts.before_tags());
    streams[k_qualities].append(qualities, parts.qualities);
    streams[k_bases].add(
        pack_bases(nibbles, parts.qualities, streams[k_bases].reserve(max_packed_bytes(parts.qualities))));
}

/// Fills the streams; the fields stay in `rows`.
void RecordCodec::State::divide(std::span<const std::span<const uint8_t>> pieces) {
    for (Buffer& stream : streams) stream.clear();
    rows.clear();
    std::span<const uint8_t> last_name;
    uint64_t last_ordinal = 0;
    for (const std::span<const uint8_t> piece : pieces) {
        for (const uint8_t *at = piece.data(), *const end = at + piece.size(); at != end;) {
            const auto left = static_cast<size_t>(end - at);
            if (left < k_row_bytes) fail("a record is cut short");
            const size_t size = get<uint32_t>(at + 8);
            const uint8_t* const record = at + k_frame_bytes;
            const size_t before_tags = Parts(record).before_tags();
            if (size > left - k_frame_bytes || size < before_tags) fail("a record's lengths do not add up");
            reduce(at, last_ordinal, size - before_tags, rows.reserve(k_row_bytes));
            rows.add(k_row_bytes);
            last_ordinal = get<uint64_t>(at);
            divide_record(record, size, last_name);
            at = record + size;
        }
    }
}

/// Appends the compressed stream to `stored`, or the stream itself where that is not smaller; returns the
/// bytes.
size_t RecordCodec::State::compress(Stream stream) {
    using Method = data::StreamCodec::Method;
    static constexpr std::array<Method, k_streams> k_methods = {
        Method::long_steps, Method::frequencies, Method::matches, Method::frequencies, Method::frequencies};
    const std::span<const uint8_t> bytes = streams[stream].bytes();
    // Nothing is found in bases of 2 bits.
    const size_t size = stream == k_bases ? 0
                                          : codec.compress(bytes, k_methods[stream],
                                                           {stored.reserve(bytes.size()), bytes.size()});
    if (size != 0) {
        stored.add(size);
        return size;
    }
    stored.append(bytes.data(), bytes.size());
    return bytes.size();
}

RecordCodec::RecordCodec() : state_(std::make_unique<State>()) {}

RecordCodec::~RecordCodec() = default;

// Header: records (4 bytes); a bit for each byte of a row that differs between the records (8); the row of
// the first record; bytes of each stream as they are and as stored (4 each).
std::span<const uint8_t> RecordCodec::encode(std::span<const std::span<const uint8_t>> pieces) {
    State& s = *state_;
    s.divide(pieces);
    const std::span<const uint8_t> rows = s.rows.bytes();
    const size_t records = rows.size() / k_row_bytes;
    s.stored.clear();
    s.stored.reserve(k_header_bytes);
    s.stored.add(k_header_bytes);
    uint64_t varying = 0;
    for (size_t byte = 0; byte < k_row_bytes && records != 0; ++byte) {
        uint8_t* const to = s.streams[k_fields].reserve(records);
        uint8_t differs = 0;
        for (size_t i = 0; i < records; ++i) {
            to[i] = rows[i * k_row_bytes + byte];
            differs |= to[i] ^ rows[byte];
        }
        if (differs == 0) continue;
        varying |= uint64_t{1} << byte;
        s.streams[k_fields].add(records);
    }
    std::array<uint32_t, 2 * k_streams> sizes;
    for (size_t stream = 0; stream < k_streams; ++stream) {
        sizes[2 * stream] = static_cast<uint32_t>(s.streams[stream].bytes().size());
        sizes[2 * stream + 1] = static_cast<uint32_t>(s.compress(static_cast<Stream>(stream)));
    }
    uint8_t* const header = s.stored.bytes().data();
    put(header, static_cast<uint32_t>(records));
    put(header + 4, varying);
    if (records != 0) std::memcpy(header + 12, rows.data(), k_row_bytes);
    std::memcpy(header + 12 + k_row_bytes, sizes.data(), sizeof sizes);
    return s.stored.bytes();
}

std::span<uint8_t> RecordCodec::room_for(uint64_t stored_bytes) {
    state_->stored.clear();
    return {state_->stored.reserve(stored_bytes), stored_bytes};
}

void RecordCodec::decode(std::span<const uint8_t> stored, std::span<uint8_t> frames) {
    State& s = *state_;
    Taker input(stored);
    const uint8_t* const header = input.take(k_header_bytes);
    const auto records = get<uint32_t>(header);
    const auto varying = get<uint64_t>(header + 4);
    std::array<uint32_t, 2 * k_streams> sizes;
    std::memcpy(sizes.data(), header + 12 + k_row_bytes, sizeof sizes);
    for (size_t stream = 0; stream < k_streams; ++stream) {
        const size_t size = sizes[2 * stream];
        const size_t stored_size = sizes[2 * stream + 1];
        const uint8_t* const from = input.take(stored_size);
        Buffer& to = s.streams[stream];
        to.clear();
        if (stored_size == size) {
            to.append(from, size);
        } else {
            s.codec.decompress({from, stored_size}, {to.reserve(size), size});
            to.add(size);
        }
    }
    std::array<std::pair<size_t, const uint8_t*>, k_row_bytes>
        columns;  // those that differ from the first row
    size_t column_count = 0;
    Taker fields(s.streams[k_fields].bytes());
    for (size_t byte = 0; byte < k_row_bytes; ++byte) {
        if (varying >> byte & 1) columns[column_count++] = {byte, fields.take(records)};
    }
    Taker names(s.streams[k_names].bytes()), tags(s.streams[k_tags].bytes()),
        bases(s.streams[k_bases].bytes()), qualities(s.streams[k_qualities].bytes());
    const uint8_t* last_name = nullptr;
    size_t last_name_size = 0;
    uint64_t last_ordinal = 0;
    uint8_t* at = frames.data();
    uint8_t* const end = at + frames.size();
    for (size_t i = 0; i < records; ++i) {
        if (static_cast<size_t>(end - at) < k_row_bytes) fail("there are more records than expected");
        std::memcpy(at, header + 12, k_row_bytes);
        for (size_t k = 0; k < column_count; ++k) at[columns[k].first] = columns[k].second[i];
        const size_t tag_bytes = restore(at, last_ordinal);
        last_ordinal = get<uint64_t>(at);
        uint8_t* to = at + k_frame_bytes;
        const Parts parts(to);
        if (static_cast<size_t>(end - to) < parts.before_tags() + tag_bytes)
            fail("there are more bytes than expected");
        to += k_fixed_bytes;
        const size_t common = *names.take(1);
        if (common > parts.name || common > last_name_size) fail("a name does not fit");
        if (common != 0) std::memcpy(to, last_name, common);
        names.copy(parts.name - common, to + common);
        last_name = to;
        last_name_size = parts.name;
        to += parts.name;
        tags.copy(parts.cigar, to);
        to += parts.cigar;
        const uint8_t* const packed = bases.take(1);
        (void)bases.take(packed_bytes(*packed, parts.qualities) - 1);
        unpack_bases(packed, parts.qualities, to);
        to += parts.nibbles;
        qualities.copy(parts.qualities, to);
        to += parts.qualities;
        tags.copy(tag_bytes, to);
        at = to + tag_bytes;
    }
    if (at != end || !names.empty() || !tags.empty() || !bases.empty() || !qualities.empty())
        fail("there are fewer records than expected");
}

}  // namespace gannet::align::sort
