// SPDX-License-Identifier: MIT
// Provides the packing of bases, 16 at a time in a 64-bit word.
#include "align/sort/packed_bases.hpp"

#include <array>
#include <cstring>

namespace gannet::align::sort {
namespace {

constexpr uint8_t k_as_nibbles = 0;
constexpr uint8_t k_as_codes = 1;
constexpr uint64_t k_ones = 0x1111111111111111;  // the lowest bit of each nibble

/// Whether each nibble has exactly one bit set: A, C, G and T are 1, 2, 4 and 8.
bool all_known(uint64_t nibbles) {
    uint64_t any = nibbles | nibbles >> 1;
    any |= any >> 2;
    if ((any & k_ones) != k_ones) return false;
    return (nibbles & (nibbles - k_ones)) == 0;  // no borrow between nibbles: none is 0
}

/// The number of the bit that is set in each nibble, 2 bits each.
uint32_t codes_of(uint64_t nibbles) {
    const uint64_t low = (nibbles >> 1 | nibbles >> 3) & k_ones;
    const uint64_t high = (nibbles >> 2 | nibbles >> 3) & k_ones;
    uint64_t codes = low | high << 1;
    codes = (codes | codes >> 2) & 0x0f0f0f0f0f0f0f0f;
    codes = (codes | codes >> 4) & 0x00ff00ff00ff00ff;
    codes = (codes | codes >> 8) & 0x0000ffff0000ffff;
    return static_cast<uint32_t>(codes | codes >> 16);
}

/// The nibbles of each byte of codes.
constexpr std::array<uint16_t, 256> make_nibbles() {
    std::array<uint16_t, 256> table{};
    for (unsigned codes = 0; codes < 256; ++codes) {
        for (unsigned i = 0; i < 4; ++i)
            table[codes] = static_cast<uint16_t>(table[codes] | 1u << (4 * i + (codes >> (2 * i) & 3)));
    }
    return table;
}
constexpr std::array<uint16_t, 256> k_nibbles = make_nibbles();

uint64_t nibbles_of(const uint8_t* codes) {
    return k_nibbles[codes[0]] | uint64_t{k_nibbles[codes[1]]} << 16 | uint64_t{k_nibbles[codes[2]]} << 32 |
           uint64_t{k_nibbles[codes[3]]} << 48;
}

size_t code_bytes(size_t bases) { return (bases + 15) / 16 * 4; }

}  // namespace

size_t pack_bases(const uint8_t* nibbles, size_t bases, uint8_t* out) {
    const size_t bytes = (bases + 1) / 2;
    uint8_t* to = out;
    *to++ = k_as_codes;
    bool known = true;
    size_t at = 0;
    for (; at + 8 <= bytes - bases % 2 && known; at += 8, to += 4) {
        uint64_t word;
        std::memcpy(&word, nibbles + at, 8);
        known = all_known(word);
        const uint32_t codes = codes_of(word);
        std::memcpy(to, &codes, 4);
    }
    if (at < bytes && known) {
        uint64_t word = k_ones;  // what is missing is A
        std::memcpy(&word, nibbles + at, bytes - at);
        if (bases % 2 != 0) {
            // The unused half of the last byte is 0, else it would not come back.
            const unsigned shift = static_cast<unsigned>(bytes - at - 1) * 8;
            known = (word >> shift & 15) == 0;
            word |= uint64_t{1} << shift;
        }
        known = known && all_known(word);
        const uint32_t codes = codes_of(word);
        std::memcpy(to, &codes, 4);
        to += 4;
    }
    if (known) return static_cast<size_t>(to - out);
    *out = k_as_nibbles;
    std::memcpy(out + 1, nibbles, bytes);
    return 1 + bytes;
}

size_t packed_bytes(uint8_t first, size_t bases) {
    return 1 + (first == k_as_codes ? code_bytes(bases) : (bases + 1) / 2);
}

void unpack_bases(const uint8_t* packed, size_t bases, uint8_t* nibbles) {
    const size_t bytes = (bases + 1) / 2;
    if (*packed++ != k_as_codes) {
        std::memcpy(nibbles, packed, bytes);
        return;
    }
    size_t at = 0;
    for (; at + 8 <= bytes; at += 8, packed += 4) {
        const uint64_t word = nibbles_of(packed);
        std::memcpy(nibbles + at, &word, 8);
    }
    if (at < bytes) {
        const uint64_t word = nibbles_of(packed);
        std::memcpy(nibbles + at, &word, bytes - at);
    }
    if (bases % 2 != 0) nibbles[bytes - 1] &= 0xf0;
}

}  // namespace gannet::align::sort
