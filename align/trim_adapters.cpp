// SPDX-License-Identifier: MIT
// Provides the search for the overlap of two mates, 16 bases at a time, and the removal of bases in a batch.
#include "align/trim_adapters.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <emmintrin.h>

namespace gannet::align {
namespace {

constexpr size_t k_lanes = 16;
// Codes that equal no base and not each other: N and what is read past the ends.
constexpr data::Base k_never_forward = 0xfe;
constexpr data::Base k_never_reverse = 0xff;

constexpr std::array<uint8_t, 256> k_bits_of_byte = [] {
    std::array<uint8_t, 256> bits{};
    for (unsigned i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint8_t>(std::popcount(i));
    return bits;
}();

}  // namespace

size_t OverlapFinder::mismatches(const data::Base* a, const data::Base* b, size_t length, size_t limit) {
    size_t found = 0;
    for (size_t at = 0; at < length && found <= limit; at += k_lanes) {
        const __m128i left = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + at));
        const __m128i right = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + at));
        auto differ = ~static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(left, right))) & 0xffff;
        if (length - at < k_lanes) differ &= (1u << (length - at)) - 1;
        found += k_bits_of_byte[differ & 0xff] + size_t{k_bits_of_byte[differ >> 8]};
    }
    return found;
}

std::optional<size_t> OverlapFinder::fragment_bp(std::span<const data::Base> mate1,
                                                 std::span<const data::Base> mate2) {
    const size_t length1 = mate1.size();
    const size_t length2 = mate2.size();
    if (length1 < k_min_overlap_bp || length2 < k_min_overlap_bp) return std::nullopt;
    forward_.assign(length1 + k_lanes, k_never_forward);
    reverse_.assign(length2 + k_lanes, k_never_reverse);
    std::replace_copy(mate1.begin(), mate1.end(), forward_.begin(), data::k_base_n, k_never_forward);
    for (size_t i = 0; i < length2; ++i) {
        const data::Base base = mate2[length2 - 1 - i];
        reverse_[i] = base == data::k_base_n ? k_never_reverse : data::complement(base);
    }
    const auto agree = [this](size_t begin1, size_t begin2, size_t overlap_bp) {
        const data::Base* const a = forward_.data() + begin1;
        const data::Base* const b = reverse_.data() + begin2;
        const size_t share = overlap_bp * k_max_overlap_mismatch_percent / 100;
        const size_t limit = std::min(k_max_overlap_mismatches, share);
        return mismatches(a, b, std::min(overlap_bp, k_overlap_head_bp), limit) <= limit &&
               mismatches(a, b, overlap_bp, share) <= share;
    };
    for (size_t begin = 0; begin + k_min_overlap_bp <= length1; ++begin) {
        if (agree(begin, 0, std::min(length1 - begin, length2))) return begin + length2;
    }
    for (size_t begin = 1; begin + k_min_overlap_bp <= length2; ++begin) {
        if (agree(0, begin, std::min(length1, length2 - begin))) return length2 - begin;
    }
    return std::nullopt;
}

TrimCounts trim_adapters(data::ReadBatch& batch, OverlapFinder& finder) {
    TrimCounts counts;
    if (!batch.paired) return counts;
    uint32_t begin = 0;   // of a read, before
    uint32_t kept = 0;    // bases so far, after
    size_t fragment = 0;  // of the template
    for (size_t read = 0; read < batch.reads(); ++read) {
        const uint32_t end = batch.base_offset[read + 1];
        if (read % 2 == 0) {
            // Bases of this template have not moved: those kept are before them.
            const std::span<const data::Base> bases = batch.bases;
            const uint32_t last = batch.base_offset[read + 2];
            fragment = finder.fragment_bp(bases.subspan(begin, end - begin), bases.subspan(end, last - end))
                           .value_or(SIZE_MAX);
        }
        const auto length = static_cast<uint32_t>(std::min<size_t>(end - begin, fragment));
        counts.reads += length < end - begin;
        counts.bases += end - begin - length;
        if (kept != begin) {
            std::copy_n(batch.bases.begin() + begin, length, batch.bases.begin() + kept);
            std::copy_n(batch.qualities.begin() + begin, length, batch.qualities.begin() + kept);
        }
        kept += length;
        batch.base_offset[read + 1] = kept;
        begin = end;
    }
    batch.bases.resize(kept);
    batch.qualities.resize(kept);
    return counts;
}

}  // namespace gannet::align
