// SPDX-License-Identifier: MIT
// Provides the replacement of '=' in SEQ by the bases of the reference.
#include "data/equal_bases.hpp"

#include "data/sequence.hpp"

#include <array>
#include <cstring>
#include <vector>

namespace gannet::data {
namespace {

constexpr uint8_t k_nibble_of_n = 15;
constexpr std::array<uint8_t, 5> k_nibble_of_code = {1, 2, 4, 8, k_nibble_of_n};

uint8_t nibble(const uint8_t* nibbles, size_t index) {
    return index % 2 == 0 ? nibbles[index / 2] >> 4 : nibbles[index / 2] & 15;
}

/// In place of '=', whose nibble is 0.
void put(uint8_t* nibbles, size_t index, uint8_t value) {
    nibbles[index / 2] |= static_cast<uint8_t>(index % 2 == 0 ? value << 4 : value);
}

}  // namespace

bool has_equal_base(std::span<const uint8_t> nibbles, size_t bases) {
    constexpr uint64_t k_lowest = 0x1111111111111111;
    size_t at = 0;
    for (; 2 * (at + sizeof(uint64_t)) <= bases; at += sizeof(uint64_t)) {
        uint64_t word;
        std::memcpy(&word, nibbles.data() + at, sizeof word);
        // The lowest bit of each nibble that is not 0.
        const uint64_t any = (word | word >> 1 | word >> 2 | word >> 3) & k_lowest;
        if (any != k_lowest) return true;
    }
    for (size_t i = 2 * at; i < bases; ++i)
        if (nibble(nibbles.data(), i) == 0) return true;
    return false;
}

void resolve_equal_bases(std::span<uint8_t> record, const Reference& reference) {
    const RecordView view(record);
    uint8_t* const nibbles = record.data() + (view.nibbles().data() - record.data());
    const size_t length = view.read_length();
    const bool placed = !view.has(k_flag_unmapped) && view.contig() >= 0 &&
                        static_cast<size_t>(view.contig()) < reference.contigs().size();
    int64_t position = view.position();
    size_t index = 0;
    std::vector<Base> bases;
    for (size_t i = 0; placed && i < view.cigar_count(); ++i) {
        const uint32_t element = view.cigar(i);
        const CigarOp op = cigar_op(element);
        const auto count = static_cast<size_t>(cigar_length(element));
        if (cigar_consumes_query(op) && cigar_consumes_reference(op)) {
            bases.resize(count);
            reference.bases(static_cast<uint32_t>(view.contig()), position, bases);
            for (size_t k = 0; k < count && index + k < length; ++k)
                if (nibble(nibbles, index + k) == 0) put(nibbles, index + k, k_nibble_of_code[bases[k]]);
        }
        if (cigar_consumes_query(op)) index += count;
        if (cigar_consumes_reference(op)) position += static_cast<int64_t>(count);
    }
    for (size_t i = 0; i < length; ++i)
        if (nibble(nibbles, i) == 0) put(nibbles, i, k_nibble_of_n);
}

}  // namespace gannet::data
