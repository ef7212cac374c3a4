// SPDX-License-Identifier: MIT
// Provides the packing of reads.
#include "kernels/reads/packed_reads.hpp"

#include "kernels/genome/packed_words.hpp"

#include <algorithm>
#include <cstring>

namespace gannet::kernels {
namespace {

/// The 2-bit codes of eight bases, a byte each, the first in the lowest byte.
uint64_t packed_codes(uint64_t bytes) {
    bytes &= 0x0303030303030303;
    bytes = (bytes | bytes >> 6) & 0x000f000f000f000f;
    bytes = (bytes | bytes >> 12) & 0x000000ff000000ff;
    return (bytes | bytes >> 24) & 0xffff;
}

/// Word `index` of the bases of `words` words in reverse order. Reversing words puts the spare bases of the
/// last one in front: they are shifted out.
uint64_t reversed_word(const uint64_t* forward, uint32_t words, uint32_t spare, uint32_t index,
                       uint64_t flip) {
    const uint64_t low = reverse_bases(flip ^ forward[words - 1 - index]);
    const uint64_t high = index + 1 < words ? reverse_bases(flip ^ forward[words - 2 - index]) : 0;
    return spare == 0 ? low : low >> 2 * spare | high << (64 - 2 * spare);
}

}  // namespace

bool pack_strands(std::span<const uint8_t> codes, uint64_t* forward, uint64_t* reverse) {
    const auto length = static_cast<uint32_t>(codes.size());
    uint64_t any = 0;
    for (uint32_t base = 0; base < length; base += 32) {
        const uint32_t end = std::min(length - base, 32u);
        const uint8_t* const from = codes.data() + base;
        uint64_t word = 0;
        uint32_t i = 0;
        for (; i + 8 <= end; i += 8) {
            uint64_t eight;
            std::memcpy(&eight, from + i, sizeof eight);
            any |= eight;
            word |= packed_codes(eight) << 2 * i;
        }
        for (; i < end; ++i) {
            any |= from[i];
            word |= uint64_t{from[i] & 3u} << 2 * i;
        }
        forward[base / 32] = word;
    }
    const uint32_t words = (length + 31) / 32;
    forward[words] = reverse[words] = 0;
    for (uint32_t i = 0; i < words; ++i)
        reverse[i] = reversed_word(forward, words, words * 32 - length, i, ~uint64_t{0});
    return (any & 0x0404040404040404) != 0;
}

void pack_masks(std::span<const uint8_t> codes, uint64_t* forward, uint64_t* reverse) {
    const auto length = static_cast<uint32_t>(codes.size());
    const uint32_t words = (length + 31) / 32;
    std::fill(forward, forward + words + 1, 0);
    for (uint32_t i = 0; i < length; ++i) forward[i / 32] |= uint64_t{codes[i] >> 2 & 1u} << 2 * (i % 32);
    reverse[words] = 0;
    for (uint32_t i = 0; i < words; ++i)
        reverse[i] = reversed_word(forward, words, words * 32 - length, i, 0);
}

void PackedReads::clear() {
    length.clear();
    packed.clear();
    packed_begin.clear();
    mask.clear();
    mask_begin.clear();
    quality.clear();
    quality_begin.assign(1, 0);
}

void PackedReads::add(std::span<const uint8_t> codes, std::span<const uint8_t> qualities) {
    const uint32_t words = strand_words(static_cast<uint32_t>(codes.size()));
    length.push_back(static_cast<uint32_t>(codes.size()));
    packed_begin.push_back(packed.size());
    packed.resize(packed.size() + 2 * size_t{words});
    uint64_t* const forward = packed.data() + packed_begin.back();
    if (pack_strands(codes, forward, forward + words)) {
        mask_begin.push_back(mask.size());
        mask.resize(mask.size() + 2 * size_t{words});
        uint64_t* const forward_mask = mask.data() + mask_begin.back();
        pack_masks(codes, forward_mask, forward_mask + words);
    } else {
        mask_begin.push_back(k_no_mask);
    }
    quality.insert(quality.end(), qualities.begin(), qualities.end());
    quality_begin.push_back(static_cast<uint32_t>(quality.size()));
}

ReadBatchView PackedReads::view() const {
    return {static_cast<uint32_t>(length.size()),
            length.data(),
            packed.data(),
            packed_begin.data(),
            mask.data(),
            mask_begin.data(),
            quality.empty() ? nullptr : quality.data(),
            quality_begin.data()};
}

}  // namespace gannet::kernels
