// SPDX-License-Identifier: MIT
// Provides the walk along a read's alignment: its matches, gaps and clips, and the bases that differ.
#pragma once

#include "variants/model/reads.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/sequence/allele.hpp"
#include "variants/sequence/base_differences.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace gannet::variants {

/// Longer gaps are ignored: the padding of windows is made for these.
inline constexpr int32_t k_max_indel_bp = reads_number("max_indel_bp");

/// Whether clipped bases with these qualities are evidence: at least eight of them are good.
inline bool is_good_clip(std::span<const uint8_t> qualities) {
    constexpr std::ptrdiff_t k_min_good = reads_number("clip_min_good_bases");
    constexpr uint8_t k_good_quality = reads_number("clip_min_good_quality");
    return std::count_if(qualities.begin(), qualities.end(),
                         [](uint8_t quality) { return quality >= k_good_quality; }) >= k_min_good;
}

/// Whether the alignment has an insertion or a deletion.
inline bool has_gap(std::span<const uint32_t> cigar) {
    return std::any_of(cigar.begin(), cigar.end(), [](uint32_t element) {
        const data::CigarOp op = data::cigar_op(element);
        return op == data::k_cigar_insertion || op == data::k_cigar_deletion || op == data::k_cigar_skip;
    });
}

/// Calls taker.match, .insertion, .deletion and .clip, each with (query offset, length, reference position),
/// in the order of the CIGAR. Gaps are reported only between matches: at an end of the alignment they are
/// artefacts.
template <class Taker>
void walk_alignment(const ReadSet& set, const CallRead& read, Taker&& taker) {
    int64_t reference = read.begin;
    uint32_t query = 0;
    const auto cigar = set.cigar(read);
    bool aligned = false;
    for (size_t i = 0; i < cigar.size(); ++i) {
        const data::CigarOp op = data::cigar_op(cigar[i]);
        const uint32_t length = data::cigar_length(cigar[i]);
        const bool is_inner = aligned && i + 1 < cigar.size();
        if (op == data::k_cigar_soft_clip) {
            taker.clip(query, length, reference);
        } else if (op == data::k_cigar_insertion) {
            if (is_inner) taker.insertion(query, length, reference);
        } else if (op == data::k_cigar_deletion) {
            if (is_inner) taker.deletion(query, length, reference);
        } else if (data::cigar_consumes_query(op) && data::cigar_consumes_reference(op)) {
            taker.match(query, length, reference);
            aligned = true;
        }
        if (data::cigar_consumes_query(op)) query += length;
        if (data::cigar_consumes_reference(op)) reference += length;
    }
}

/// Calls take(query offset, length, reference position) for each run of aligned bases, in their order.
template <class Function>
void for_each_match(const ReadSet& set, const CallRead& read, Function&& take) {
    struct Matches {
        Function& take;
        void match(uint32_t query, uint32_t length, int64_t reference) const {
            take(query, length, reference);
        }
        void insertion(uint32_t, uint32_t, int64_t) const {}
        void deletion(uint32_t, uint32_t, int64_t) const {}
        void clip(uint32_t, uint32_t, int64_t) const {}
    };
    walk_alignment(set, read, Matches{take});
}

/// Calls take(k, base, quality) for each k in [0, to - from) where the base at `first + k` of the set's
/// arenas differs from that of the slice at from + k; N on either side and lower qualities are skipped.
/// [from, to) must be within the slice.
template <class Function>
void for_each_mismatch(const ReadSet& set, size_t first, const ReferenceSlice& slice, int64_t from,
                       int64_t to, int32_t minimum_base_quality, Function&& take) {
    const data::Base* const bases = set.bases.data() + first;
    const uint8_t* const qualities = set.qualities.data() + first;
    const data::Base* const expected = slice.span(from, to).data();
    for_each_difference(bases, expected, static_cast<size_t>(to - from), [&](size_t k) {
        if (bases[k] > 3 || expected[k] > 3 || qualities[k] < minimum_base_quality) return;
        take(k, bases[k], qualities[k]);
    });
}

}  // namespace gannet::variants
