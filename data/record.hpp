// SPDX-License-Identifier: MIT
// Provides alignment records as BAM bytes in arenas: a view of one, a builder that appends, and a batch of
// them.
#pragma once

#include "data/sequence.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gannet::data {

/// SAM flags (SAM specification 1.4).
enum RecordFlag : uint16_t {
    k_flag_paired = 0x1,
    k_flag_proper_pair = 0x2,
    k_flag_unmapped = 0x4,
    k_flag_mate_unmapped = 0x8,
    k_flag_reverse = 0x10,
    k_flag_mate_reverse = 0x20,
    k_flag_read1 = 0x40,
    k_flag_read2 = 0x80,
    k_flag_secondary = 0x100,
    k_flag_qc_fail = 0x200,
    k_flag_duplicate = 0x400,
    k_flag_supplementary = 0x800
};

/// CIGAR operations as in BAM: element = length << 4 | op, op an index into "MIDNSHP=X".
enum CigarOp : uint32_t {
    k_cigar_match = 0,
    k_cigar_insertion = 1,
    k_cigar_deletion = 2,
    k_cigar_skip = 3,
    k_cigar_soft_clip = 4,
    k_cigar_hard_clip = 5,
    k_cigar_pad = 6,
    k_cigar_equal = 7,
    k_cigar_diff = 8
};
constexpr uint32_t cigar_element(uint32_t length, CigarOp op) { return length << 4 | op; }
constexpr uint32_t cigar_length(uint32_t element) { return element >> 4; }
constexpr CigarOp cigar_op(uint32_t element) { return static_cast<CigarOp>(element & 15); }
constexpr bool cigar_consumes_query(CigarOp op) { return (0x193u >> op) & 1; }      // M I S = X
constexpr bool cigar_consumes_reference(CigarOp op) { return (0x18du >> op) & 1; }  // M D N = X

/// One BAM record as on disk, from refID on (the block_size word is not part of it). Fields are read by
/// memcpy, so the bytes need no alignment. Cheap to copy; valid while the bytes live. SAM specification,
/// section 4.2.
class RecordView {
  public:
    RecordView() = default;
    explicit RecordView(std::span<const uint8_t> bytes) : bytes_(bytes) {}

    std::span<const uint8_t> bytes() const { return bytes_; }
    /// The fixed fields, a name of usual length, and the CIGAR's first elements: for a prefetch.
    std::span<const uint8_t> head() const { return bytes_.first(std::min<size_t>(bytes_.size(), 96)); }
    int32_t contig() const { return get<int32_t>(0); }  ///< -1 when none
    int32_t position() const { return get<int32_t>(4); }
    uint8_t name_size() const { return bytes_[8]; }  ///< with its NUL
    uint8_t mapping_quality() const { return bytes_[9]; }
    uint16_t cigar_count() const { return get<uint16_t>(12); }
    uint16_t flag() const { return get<uint16_t>(14); }
    uint32_t read_length() const { return get<uint32_t>(16); }
    int32_t mate_contig() const { return get<int32_t>(20); }
    int32_t mate_position() const { return get<int32_t>(24); }
    int32_t template_length() const { return get<int32_t>(28); }
    std::string_view name() const {
        return {reinterpret_cast<const char*>(bytes_.data()) + 32, static_cast<size_t>(name_size()) - 1};
    }
    uint32_t cigar(size_t index) const { return get<uint32_t>(32 + name_size() + 4 * index); }
    Base base(size_t index) const {
        const uint8_t pair = bytes_[sequence_offset() + index / 2];
        return k_base_of_nibble[index % 2 ? pair & 15 : pair >> 4];
    }
    /// Packed nibbles, two bases a byte, and qualities (first byte 0xff when absent).
    std::span<const uint8_t> nibbles() const {
        return bytes_.subspan(sequence_offset(), (read_length() + 1) / 2);
    }
    std::span<const uint8_t> qualities() const {
        return bytes_.subspan(sequence_offset() + (read_length() + 1) / 2, read_length());
    }
    /// All tags (auxiliary data), and the value bytes of one (type letter first), if present and well-formed.
    std::span<const uint8_t> tags() const {
        return bytes_.subspan(sequence_offset() + (read_length() + 1) / 2 + read_length());
    }
    std::optional<std::span<const uint8_t>> tag(const char (&name)[3]) const;
    std::optional<int64_t> integer_tag(const char (&name)[3]) const;
    std::optional<std::string_view> string_tag(const char (&name)[3]) const;

    int64_t reference_span() const;  ///< bases of the reference that the CIGAR covers; 0 without one
    int64_t end_position() const { return position() + reference_span(); }
    bool has(uint16_t flags) const { return (flag() & flags) != 0; }

  private:
    template <class T>
    T get(size_t at) const {
        T value;
        std::memcpy(&value, bytes_.data() + at, sizeof value);
        return value;
    }
    size_t sequence_offset() const { return 32 + name_size() + 4 * static_cast<size_t>(cigar_count()); }

    std::span<const uint8_t> bytes_;
};

/// Where one record lies in a batch, with what sorting needs at hand.
struct RecordEntry {
    uint64_t offset = 0;  ///< of the record's bytes in the arena
    uint64_t ordinal =
        0;  ///< input order of the record: first_template-based template ordinal * 256 + index within it
    uint32_t size_bytes = 0;
    int32_t contig = -1;
    int32_t position = -1;
    uint16_t flag = 0;
};

/// Records of a batch. Records of one template are adjacent, mate 1 before mate 2, primary before
/// supplementary.
struct RecordBatch {
    uint64_t ordinal = 0;  ///< of the read batch it came from
    uint32_t read_group = 0;
    std::vector<uint8_t> bytes;
    std::vector<RecordEntry> entries;

    RecordView view(size_t index) const {
        return RecordView({bytes.data() + entries[index].offset, entries[index].size_bytes});
    }
    void clear() {
        bytes.clear();
        entries.clear();
    }
};

/// What a record is made of; spans are copied when it is appended.
struct RecordFields {
    int32_t contig = -1;
    int32_t position = -1;
    uint8_t mapping_quality = 0;
    uint16_t flag = k_flag_unmapped;
    int32_t mate_contig = -1;
    int32_t mate_position = -1;
    int32_t template_length = 0;
    std::string_view name;
    std::span<const uint32_t> cigar;
    std::span<const Base> bases;         ///< in the record's orientation
    std::span<const uint8_t> qualities;  ///< Phred; empty means absent (0xff)
    uint64_t ordinal = 0;
};

/// Appends one record; then tags may be appended to it, before the next record is begun.
class RecordAppender {
  public:
    RecordAppender(RecordBatch& batch, const RecordFields& fields);
    ~RecordAppender();  ///< closes the record: its entry gets the final size
    RecordAppender(const RecordAppender&) = delete;
    RecordAppender& operator=(const RecordAppender&) = delete;
    void tag(const char (&name)[3],
             int64_t value);  ///< smallest integer type that holds it, as htslib chooses
    void tag(const char (&name)[3], std::string_view text);
    void tag_char(const char (&name)[3], char value);
    void tag_float(const char (&name)[3], float value);
    void append_tags(std::span<const uint8_t> tags);  ///< as BAM stores them

  private:
    RecordBatch& batch_;
};

/// Bytes of the tag value at `at` (its type letter), the letter included; 0 when it is malformed.
size_t tag_value_bytes(std::span<const uint8_t> tags, size_t at);
/// Appends type letter and value of an integer tag: the smallest integer type that holds it, as htslib
/// chooses. `value`: of 32 bits, signed or unsigned.
void append_integer_value(int64_t value, std::vector<uint8_t>& bytes);

/// UCSC bin of [begin, end), SAM specification 4.2.1 (reg2bin); positions past 2^29 give 0 as htslib writes.
uint16_t bam_bin(int64_t begin, int64_t end);

}  // namespace gannet::data
