// SPDX-License-Identifier: MIT
// Provides a deflate compressor for payloads whose parts are known: what repeats is looked for where it can
// be found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::data::bgzf {

/// What a part of a payload holds, and so how it is compressed. A wrong kind costs bytes, never the content.
enum class SectionKind : uint8_t {
    text,      ///< names, fields, tags: short repeats
    bases,     ///< packed bases of reads that overlap: long repeats, interrupted by single differences
    qualities  ///< numbers without repeats worth the search: frequencies alone
};

/// A part of a payload; it begins where the one before it ends.
struct PayloadSection {
    uint32_t end = 0;
    SectionKind kind = SectionKind::text;
};

/// Makes one deflate block with a code of its own (RFC 1951, BTYPE 10). A general compressor spends most of
/// its time looking for repeats in qualities, which have none, and for the right one of many in bases. Same
/// bytes on every machine. One object per thread; what it makes depends on its input only.
class SectionDeflater {
  public:
    static constexpr size_t k_max_payload_bytes = 65280;
    static constexpr size_t k_spare_bytes = 8;

    /// False where the qualities of a payload do have repeats (measured on its first ones), and where it has
    /// none: such a payload is for a general compressor. `sections` end with the payload, of at most
    /// k_max_payload_bytes.
    bool suits(std::span<const uint8_t> payload, std::span<const PayloadSection> sections);
    /// Writes the block and returns its size; 0 where that is more than `room` bytes. `out` has room for
    /// k_spare_bytes more.
    size_t deflate(std::span<const uint8_t> payload, std::span<const PayloadSection> sections, uint8_t* out,
                   size_t room);

  private:
    /// Bytes as they are, then a copy of earlier ones (of no length at the payload's end).
    struct Step {
        uint32_t literals = 0;
        uint16_t length = 0;
        uint16_t distance = 0;
        uint8_t length_symbol = 0;
        uint8_t distance_symbol = 0;
    };
    struct Lengths;
    class BitWriter;
    static constexpr unsigned k_table_bits = 13;
    /// Where bytes with a hash were seen last, plus 1; 0: nowhere.
    using Table = std::array<uint16_t, size_t{1} << k_table_bits>;

    void find_text(const uint8_t* at, const uint8_t* end);
    void find_bases(const uint8_t* at, const uint8_t* end);
    void add_copy(const uint8_t* at, size_t length, size_t distance);
    // Inline, as they are called for every byte: what could be replaced by another library's is not
    // otherwise.
    const uint8_t* last_seen(const Table& table, uint32_t hash) const {
        return table[hash] == 0 ? nullptr : begin_ + table[hash] - 1;
    }
    void note(Table& table, uint32_t hash, const uint8_t* at) {
        table[hash] = static_cast<uint16_t>(at - begin_ + 1);
    }
    void count_symbols();
    uint64_t body_bits() const;
    void write_steps(BitWriter& out) const;

    const uint8_t* begin_ = nullptr;  ///< of the payload
    const uint8_t* literals_ = nullptr;
    std::vector<Step> steps_;
    Table text_seen_;
    Table bases_seen_;
    static constexpr size_t k_letters = 286;  ///< bytes, the end, lengths of copies
    static constexpr size_t k_distances = 30;
    std::array<uint32_t, k_letters> letter_count_;
    std::array<uint32_t, k_distances> distance_count_;
    std::array<uint8_t, k_letters> letter_length_;
    std::array<uint8_t, k_distances> distance_length_;
};

}  // namespace gannet::data::bgzf
