// SPDX-License-Identifier: MIT
// Provides the packing of reads.
#include "kernels/reads/packed_reads.hpp"

#include "kernels/genome/packed_words.hpp"

#include <algorithm>
#include <cstring>
#include <tmmintrin.h>

namespace gannet::kernels {
namespace {

/// The codes of the 32 bases of a word, in two times sixteen bytes.
struct Codes32 {
    __m128i first;
    __m128i second;
};

Codes32 load_codes(const uint8_t* from) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)),
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16))};
}

/// Four bases in the lowest byte of each 32 bits.
__m128i packed_by_four(__m128i codes) {
    const __m128i two = _mm_maddubs_epi16(_mm_and_si128(codes, _mm_set1_epi8(3)), _mm_set1_epi16(0x0401));
    return _mm_madd_epi16(two, _mm_set1_epi32(0x0010'0001));
}

/// The 2-bit codes of 32 bases, the first in the lowest bits.
uint64_t packed_codes(const Codes32& codes) {
    const __m128i fours = _mm_packs_epi32(packed_by_four(codes.first), packed_by_four(codes.second));
    return static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(fours, fours)));
}

Codes32 codes_of(uint64_t word) {
    const __m128i bases = _mm_cvtsi64_si128(static_cast<int64_t>(word));
    const __m128i two = _mm_set1_epi8(15);
    const __m128i one = _mm_set1_epi8(3);
    const __m128i pairs =
        _mm_unpacklo_epi8(_mm_and_si128(bases, two), _mm_and_si128(_mm_srli_epi16(bases, 4), two));
    const __m128i even = _mm_and_si128(pairs, one);
    const __m128i odd = _mm_and_si128(_mm_srli_epi16(pairs, 2), one);
    return {_mm_unpacklo_epi8(even, odd), _mm_unpackhi_epi8(even, odd)};
}

/// The bases of `words` words in reverse order. Reversing words puts the `spare` bases of the last one in
/// front: they are shifted out.
void reverse_words(const uint64_t* forward, uint32_t words, uint32_t spare, uint64_t flip,
                   uint64_t* reverse) {
    if (spare == 0) {
        for (uint32_t i = 0; i < words; ++i) reverse[i] = reverse_bases(flip ^ forward[words - 1 - i]);
        return;
    }
    uint64_t word = reverse_bases(flip ^ forward[words - 1]) >> 2 * spare;
    for (uint32_t i = 0; i + 1 < words; ++i) {
        const uint64_t next = reverse_bases(flip ^ forward[words - 2 - i]);
        reverse[i] = word | next << (64 - 2 * spare);
        word = next >> 2 * spare;
    }
    reverse[words - 1] = word;
}

}  // namespace

bool pack_strands(std::span<const uint8_t> codes, uint64_t* forward, uint64_t* reverse) {
    constexpr uint32_t k_at_once = 32;
    const auto length = static_cast<uint32_t>(codes.size());
    const uint32_t words = (length + k_at_once - 1) / k_at_once;
    const uint32_t whole = length / k_at_once;
    __m128i any = _mm_setzero_si128();
    const auto pack = [&](const uint8_t* from, uint64_t& word) {
        const Codes32 found = load_codes(from);
        any = _mm_or_si128(any, _mm_or_si128(found.first, found.second));
        word = packed_codes(found);
    };
    for (uint32_t i = 0; i < whole; ++i) pack(codes.data() + i * k_at_once, forward[i]);
    if (whole < words) {
        uint8_t last[k_at_once] = {};
        std::memcpy(last, codes.data() + whole * k_at_once, length - whole * k_at_once);
        pack(last, forward[whole]);
    }
    forward[words] = 0;
    reverse[words] = 0;
    reverse_words(forward, words, words * 32 - length, ~uint64_t{0}, reverse);
    return _mm_movemask_epi8(_mm_slli_epi16(any, 5)) != 0;  // bit 2 of a code is that of an N
}

void pack_masks(std::span<const uint8_t> codes, uint64_t* forward, uint64_t* reverse) {
    const auto length = static_cast<uint32_t>(codes.size());
    const uint32_t words = (length + 31) / 32;
    std::fill(forward, forward + words + 1, 0);
    for (uint32_t i = 0; i < length; ++i) forward[i / 32] |= uint64_t{codes[i] >> 2 & 1u} << 2 * (i % 32);
    reverse[words] = 0;
    reverse_words(forward, words, words * 32 - length, 0, reverse);
}

void unpack_codes(const uint64_t* forward, const uint64_t* mask, uint32_t length, uint8_t* codes) {
    for (uint32_t base = 0; base < length; base += 32) {
        Codes32 found = codes_of(forward[base / 32]);
        if (mask != nullptr) {
            // Ambiguous bases are packed as 0; as a code they are 4.
            const Codes32 ambiguous = codes_of(mask[base / 32]);
            found.first = _mm_or_si128(found.first, _mm_slli_epi16(ambiguous.first, 2));
            found.second = _mm_or_si128(found.second, _mm_slli_epi16(ambiguous.second, 2));
        }
        auto* const to = reinterpret_cast<__m128i*>(codes + base);
        _mm_storeu_si128(to, found.first);
        _mm_storeu_si128(to + 1, found.second);
    }
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

void PackedReads::add(const ReadBatchView& reads, uint32_t read) {
    const size_t words = 2 * size_t{strand_words(reads.length[read])};
    const auto append = [words](std::vector<uint64_t>& to, const uint64_t* from) {
        to.insert(to.end(), from, from + words);
        return to.size() - words;
    };
    length.push_back(reads.length[read]);
    packed_begin.push_back(append(packed, reads.words(read, 0)));
    mask_begin.push_back(reads.is_ambiguous(read) ? append(mask, reads.mask_words(read, 0)) : k_no_mask);
    if (reads.quality != nullptr)
        quality.insert(quality.end(), reads.quality + reads.quality_begin[read],
                       reads.quality + reads.quality_begin[read + 1]);
    quality_begin.push_back(static_cast<uint32_t>(quality.size()));
}

ReadBatchView PackedReads::view() const {
    return {static_cast<uint32_t>(length.size()),
            paired,
            length.data(),
            packed.data(),
            packed_begin.data(),
            mask.data(),
            mask_begin.data(),
            quality.empty() ? nullptr : quality.data(),
            quality_begin.data()};
}

}  // namespace gannet::kernels
