// SPDX-License-Identifier: MIT
// Provides the encoding of alignment records into BAM bytes and the look-up of their tags.
#include "data/record.hpp"

#include "data/base_arrays.hpp"

#include <algorithm>
#include <limits>

namespace gannet::data {
namespace {

constexpr size_t k_fixed_bytes = 32;  ///< of a record, before its name

/// More than most records have behind the qualities.
constexpr size_t k_usual_tag_bytes = 256;
constexpr size_t k_max_integer_bytes = 5;  ///< of a tag's value with its type letter

template <class T>
uint8_t* put(T value, uint8_t* at) {
    std::memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

uint8_t* put_name(const char (&name)[3], char type, uint8_t* at) {
    const char all[3] = {name[0], name[1], type};
    std::memcpy(at, all, sizeof all);
    return at + sizeof all;
}

/// As append_integer_value(); returns the end of what was written, at most k_max_integer_bytes behind `at`.
uint8_t* put_integer_value(int64_t value, uint8_t* at) {
    const auto put_as = [&at]<class T>(char type, T number) {
        *at = static_cast<uint8_t>(type);
        return put(number, at + 1);
    };
    if (value < 0) {
        if (value >= std::numeric_limits<int8_t>::min()) return put_as('c', static_cast<int8_t>(value));
        if (value >= std::numeric_limits<int16_t>::min()) return put_as('s', static_cast<int16_t>(value));
        return put_as('i', static_cast<int32_t>(value));
    }
    if (value <= std::numeric_limits<uint8_t>::max()) return put_as('C', static_cast<uint8_t>(value));
    if (value <= std::numeric_limits<uint16_t>::max()) return put_as('S', static_cast<uint16_t>(value));
    return put_as('I', static_cast<uint32_t>(value));
}

/// The end of the last record, which its entry knows, and so many bytes behind it. Room is made once for most
/// records: until the record is closed, the batch has more bytes than those of its records.
uint8_t* room_for(RecordBatch& batch, size_t bytes) {
    const size_t used = batch.entries.back().offset + batch.entries.back().size_bytes;
    if (batch.bytes.size() - used < bytes) batch.bytes.resize(used + bytes + k_usual_tag_bytes);
    return batch.bytes.data() + used;
}

/// [begin, end), from room_for(), is now part of the record.
void extend(RecordBatch& batch, const uint8_t* begin, const uint8_t* end) {
    batch.entries.back().size_bytes += static_cast<uint32_t>(end - begin);
}

size_t fixed_tag_size(uint8_t type) {
    switch (type) {
        case 'A':
        case 'c':
        case 'C':
            return 1;
        case 's':
        case 'S':
            return 2;
        case 'i':
        case 'I':
        case 'f':
            return 4;
        case 'd':
            return 8;
        default:
            return 0;
    }
}

}  // namespace

size_t tag_value_bytes(std::span<const uint8_t> tags, size_t at) {
    const uint8_t type = tags[at];
    if (const size_t size = fixed_tag_size(type); size != 0)
        return at + 1 + size <= tags.size() ? 1 + size : 0;
    if (type == 'Z' || type == 'H') {
        for (size_t i = at + 1; i < tags.size(); ++i) {
            if (tags[i] == 0) return i + 1 - at;
        }
        return 0;
    }
    if (type == 'B' && at + 6 <= tags.size()) {
        uint32_t count;
        std::memcpy(&count, tags.data() + at + 2, 4);
        const size_t size = 6 + fixed_tag_size(tags[at + 1]) * static_cast<size_t>(count);
        return at + size <= tags.size() ? size : 0;
    }
    return 0;
}

void append_integer_value(int64_t value, std::vector<uint8_t>& bytes) {
    uint8_t stored[k_max_integer_bytes];
    bytes.insert(bytes.end(), stored, put_integer_value(value, stored));
}

std::optional<std::span<const uint8_t>> RecordView::tag(const char (&name)[3]) const {
    const std::span<const uint8_t> all = tags();
    for (size_t at = 0; at + 3 <= all.size();) {
        const size_t size = tag_value_bytes(all, at + 2);
        if (size == 0) return std::nullopt;
        if (all[at] == static_cast<uint8_t>(name[0]) && all[at + 1] == static_cast<uint8_t>(name[1])) {
            return all.subspan(at + 2, size);
        }
        at += 2 + size;
    }
    return std::nullopt;
}

std::optional<int64_t> RecordView::integer_tag(const char (&name)[3]) const {
    const auto value = tag(name);
    if (!value) return std::nullopt;
    const uint8_t* raw = value->data() + 1;
    const auto as = [raw]<class T>(T out) {
        std::memcpy(&out, raw, sizeof out);
        return static_cast<int64_t>(out);
    };
    switch ((*value)[0]) {
        case 'c':
            return as(int8_t{});
        case 'C':
            return as(uint8_t{});
        case 's':
            return as(int16_t{});
        case 'S':
            return as(uint16_t{});
        case 'i':
            return as(int32_t{});
        case 'I':
            return as(uint32_t{});
        default:
            return std::nullopt;
    }
}

std::optional<std::string_view> RecordView::string_tag(const char (&name)[3]) const {
    const auto value = tag(name);
    if (!value || (*value)[0] != 'Z') return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(value->data()) + 1, value->size() - 2);
}

int64_t RecordView::reference_span() const {
    int64_t span = 0;
    for (size_t i = 0; i < cigar_count(); ++i) {
        if (cigar_consumes_reference(cigar_op(cigar(i)))) span += cigar_length(cigar(i));
    }
    return span;
}

uint16_t bam_bin(int64_t begin, int64_t end) {
    if (begin < 0) return 4680;  // reg2bin(-1, 0), for records without a place
    if (end > (int64_t{1} << 29)) return 0;
    --end;
    if (begin >> 14 == end >> 14) return static_cast<uint16_t>(((1 << 15) - 1) / 7 + (begin >> 14));
    if (begin >> 17 == end >> 17) return static_cast<uint16_t>(((1 << 12) - 1) / 7 + (begin >> 17));
    if (begin >> 20 == end >> 20) return static_cast<uint16_t>(((1 << 9) - 1) / 7 + (begin >> 20));
    if (begin >> 23 == end >> 23) return static_cast<uint16_t>(((1 << 6) - 1) / 7 + (begin >> 23));
    if (begin >> 26 == end >> 26) return static_cast<uint16_t>(((1 << 3) - 1) / 7 + (begin >> 26));
    return 0;
}

RecordAppender::RecordAppender(RecordBatch& batch, const RecordFields& fields) : batch_(batch) {
    std::vector<uint8_t>& bytes = batch.bytes;
    batch.entries.push_back({bytes.size(), fields.ordinal, 0, fields.contig, fields.position, fields.flag});
    int64_t span = 0;
    for (const uint32_t element : fields.cigar) {
        if (cigar_consumes_reference(cigar_op(element))) span += cigar_length(element);
    }
    const size_t length = fields.bases.size();
    const size_t name_size = fields.name.size() + 1;
    uint8_t* at =
        room_for(batch, k_fixed_bytes + name_size + 4 * fields.cigar.size() + (length + 1) / 2 + length);
    const uint8_t* const begin = at;
    const auto put = [&at](const auto& value) { at = data::put(value, at); };
    put(fields.contig);
    put(fields.position);
    put(static_cast<uint8_t>(name_size));
    put(fields.mapping_quality);
    put(bam_bin(fields.position, fields.position + (span > 0 ? span : 1)));
    put(static_cast<uint16_t>(fields.cigar.size()));
    put(fields.flag);
    put(static_cast<uint32_t>(length));
    put(fields.mate_contig);
    put(fields.mate_position);
    put(fields.template_length);
    at = std::copy(fields.name.begin(), fields.name.end(), at);
    *at++ = 0;
    for (const uint32_t element : fields.cigar) put(element);
    to_nibbles(fields.bases, at);
    at += (length + 1) / 2;
    if (fields.qualities.empty()) {
        std::fill_n(at, length, uint8_t{0xff});
    } else {
        std::memcpy(at, fields.qualities.data(), length);
    }
    extend(batch, begin, at + length);
}

RecordAppender::~RecordAppender() {
    const RecordEntry& entry = batch_.entries.back();
    batch_.bytes.resize(entry.offset + entry.size_bytes);  // which is no more than there is
}

void RecordAppender::tag(const char (&name)[3], int64_t value) {
    uint8_t* const begin = room_for(batch_, sizeof name + k_max_integer_bytes);
    // The letter of the type comes with the value.
    extend(batch_, begin, put_integer_value(value, put_name(name, 0, begin) - 1));
}

void RecordAppender::tag(const char (&name)[3], std::string_view text) {
    uint8_t* const begin = room_for(batch_, sizeof name + text.size() + 1);
    uint8_t* const end = std::copy(text.begin(), text.end(), put_name(name, 'Z', begin));
    *end = 0;
    extend(batch_, begin, end + 1);
}

void RecordAppender::tag_char(const char (&name)[3], char value) {
    uint8_t* const begin = room_for(batch_, sizeof name + 1);
    extend(batch_, begin, put(value, put_name(name, 'A', begin)));
}

void RecordAppender::tag_float(const char (&name)[3], float value) {
    uint8_t* const begin = room_for(batch_, sizeof name + sizeof value);
    extend(batch_, begin, put(value, put_name(name, 'f', begin)));
}

void RecordAppender::append_tags(std::span<const uint8_t> tags) {
    uint8_t* const begin = room_for(batch_, tags.size());
    extend(batch_, begin, std::copy(tags.begin(), tags.end(), begin));
}

}  // namespace gannet::data
