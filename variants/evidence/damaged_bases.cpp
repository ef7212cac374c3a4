// SPDX-License-Identifier: MIT
// Provides the search for bases that differ from the reference as damage changes it.
#include "variants/evidence/damaged_bases.hpp"

#include "variants/reads/alignment_walk.hpp"
#include "variants/sequence/base_differences.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

/// Walks along the alignment of one read.
struct DamageCap {
    const BaseDamage& damage;
    const ReferenceSlice& slice;
    ReadSet& set;
    const CallRead& read;
    bool against_mate_1 = is_against_mate_1(read.reverse, (read.flags & data::k_flag_read2) != 0);
    FragmentEnds ends =
        FragmentEnds::of(read.flags, read.cut_left + read.length + read.cut_right, read.template_length);

    void match(uint32_t query, uint32_t length, int64_t reference) const {
        const int64_t from = std::max(reference, slice.begin());
        const int64_t to = std::min(reference + length, slice.end());
        if (from >= to) return;
        const size_t first = read.bases + query + static_cast<size_t>(from - reference);
        const data::Base* const expected = slice.span(from, to).data();
        for_each_difference(set.bases.data() + first, expected, static_cast<size_t>(to - from),
                            [&](size_t i) { cap(first + i, expected[i]); });
    }
    void insertion(uint32_t, uint32_t, int64_t) const {}
    void deletion(uint32_t, uint32_t, int64_t) const {}
    void clip(uint32_t, uint32_t, int64_t) const {}

    void cap(size_t at, data::Base undamaged) const {
        const size_t place = ends.place_of(read.cut_left + static_cast<int64_t>(at - read.bases));
        const uint8_t highest =
            damage.highest_quality(in_direction_of_mate_1(undamaged, against_mate_1),
                                   in_direction_of_mate_1(set.bases[at], against_mate_1), place);
        uint8_t& quality = set.qualities[at];
        if (quality <= highest) return;
        set.capped.emplace_back(static_cast<uint32_t>(at), quality);
        quality = highest;
    }
};

}  // namespace

void cap_damaged_bases(const BaseDamage& damage, const ReferenceSlice& slice, ReadSet& set) {
    if (damage.none()) return;
    for (const CallRead& read : set.reads) walk_alignment(set, read, DamageCap{damage, slice, set, read});
    std::sort(set.capped.begin(), set.capped.end());
}

void cap_damaged_alternates(const BaseDamage& damage, const ReferenceSlice& slice, const Evidence& evidence,
                            std::span<const Candidate> candidates, ReadSet& set) {
    if (damage.none()) return;
    for (const Candidate& candidate : candidates) {
        if (candidate.kind != CandidateKind::snp) continue;
        const int64_t position = candidate.allele.position;
        const data::Base reference = slice.at(position);
        const data::Base alternate = evidence.arena[candidate.allele.alternate];
        if (!damage.has(change_class(alternate, reference))) continue;
        for (size_t r = set.first_over(position); r < set.reads.size(); ++r) {
            const CallRead& read = set.reads[r];
            if (read.begin > position) break;
            const int64_t offset = read_offset_at(set, read, position);
            if (offset < 0) continue;
            const size_t at = read.bases + static_cast<size_t>(offset);
            if (set.bases[at] == reference) DamageCap{damage, slice, set, read}.cap(at, alternate);
        }
    }
    std::sort(set.capped.begin(), set.capped.end());
}

}  // namespace gannet::variants
