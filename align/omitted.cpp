// SPDX-License-Identifier: MIT
// Provides the count of the parts of a read that distinguish it from what its seeds left out.
#include "align/omitted.hpp"

#include "align/packed.hpp"

#include <algorithm>

namespace gannet::align {
namespace {

/// Does the read match the reference on `diagonal` in oriented bases [begin, end)?
bool same_bases(const uint64_t* own, std::span<const uint64_t> packed, int64_t diagonal, uint32_t begin,
                uint32_t end) {
    for (uint32_t base = begin; base < end; base += 32) {
        const int64_t at = diagonal + base;
        // word_at reads one word ahead.
        if (at < 0 || at + 64 > static_cast<int64_t>(packed.size() * 32)) return false;
        uint64_t bits = mismatch_bits(word_at(own, base), word_at(packed.data(), static_cast<uint64_t>(at)));
        if (end - base < 32) bits &= (uint64_t{1} << 2 * (end - base)) - 1;
        if (bits != 0) return false;
    }
    return true;
}

}  // namespace

bool OmittedPositions::matches(const ReadState& read, const Candidate& chosen, DistinctPart part) const {
    const std::span<const uint64_t> packed = index_.reference()->packed();
    const uint64_t* own = ungapped_.words(read, chosen.strand);
    const uint32_t begin = chosen.strand ? read.length - part.end : part.begin;
    const uint32_t end = begin + part.end - part.begin;
    if (begin < chosen.query_begin || end > chosen.query_end) return false;
    // Beyond a gap the alignment runs on the diagonal of its end.
    const int64_t left = chosen.target_begin - chosen.query_begin;
    const int64_t right = chosen.target_end - chosen.query_end;
    return same_bases(own, packed, chosen.diagonal, begin, end) ||
           (chosen.left_gapped && same_bases(own, packed, left, begin, end)) ||
           (chosen.right_gapped && same_bases(own, packed, right, begin, end));
}

int32_t OmittedPositions::margin(const ReadState& read, const Candidate& chosen) const {
    int32_t margin = k_nothing_omitted;
    if (read.left_out.dropped_score >= 0)
        margin = (chosen.score - read.left_out.dropped_score) * k_score_unit;
    if (!read.narrowed && read.left_out.dropped_bp == 0) return margin;
    int32_t disjoint = 0;
    uint32_t to = 0;
    for (uint32_t i = read.part_begin; i < read.part_end; ++i) {
        const DistinctPart part = state_.parts[i];
        if (part.begin < to || !matches(read, chosen, part)) continue;
        ++disjoint;
        to = part.end;
    }
    const auto hit = static_cast<int32_t>(read.left_out.dropped_bp / index_.parameters().kmer);
    return std::min(margin, std::max(0, disjoint - hit) * ungapped_.scoring().least_loss() * k_score_unit);
}

}  // namespace gannet::align
