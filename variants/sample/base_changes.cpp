// SPDX-License-Identifier: MIT
// Provides the places of bases in their fragments, and the counting at the ends of these.
#include "variants/sample/base_changes.hpp"

#include "data/record.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace gannet::variants {

namespace {

/// k_end_classes where it is inside, or beyond the end.
size_t end_class_of(int64_t distance) {
    if (distance < 0 || distance >= k_end_reach_bp) return k_end_classes;
    if (distance < 2) return static_cast<size_t>(distance);
    return static_cast<size_t>(std::bit_width(static_cast<uint64_t>(distance - 1))) + 1;
}

}  // namespace

FragmentEnds FragmentEnds::of(uint16_t flags, int64_t read_bp, int64_t template_length) {
    const bool is_paired = (flags & data::k_flag_paired) != 0;
    return {read_bp, is_paired ? std::abs(template_length) : read_bp, (flags & data::k_flag_read2) != 0,
            (flags & data::k_flag_reverse) != 0};
}

size_t FragmentEnds::place_of(int64_t offset) const {
    const int64_t from_own_end = is_reverse ? read_bp - 1 - offset : offset;
    const size_t own = end_class_of(from_own_end);
    const size_t other = fragment_bp > 0 ? end_class_of(fragment_bp - 1 - from_own_end) : k_end_classes;
    if (std::min(own, other) == k_end_classes) return 0;
    const bool is_begin = (own <= other) != is_read2;
    return is_begin ? begin_place(std::min(own, other)) : end_place(std::min(own, other));
}

void BaseChangeCounts::add(const BaseChangeCounts& other) {
    for (size_t place = 0; place < places.size(); ++place) {
        Counts& ours = places[place];
        const Counts& theirs = other.places[place];
        for (size_t from = 0; from < ours.bases.size(); ++from) {
            ours.bases[from] += theirs.bases[from];
            for (size_t to = 0; to < ours.mismatches[from].size(); ++to) {
                ours.mismatches[from][to] += theirs.mismatches[from][to];
                ours.squares[from][to] += theirs.squares[from][to];
            }
        }
    }
}

void BaseChangeCounts::add_mismatch(size_t place, data::Base from, data::Base to, uint64_t before) {
    ++places[place].mismatches[from][to];
    places[place].squares[from][to] += 2 * before + 1;
}

void BaseChangeCounts::correct(const FragmentEnds& ends, int64_t first, std::span<const data::Base> reference,
                               const uint8_t* qualities) {
    const bool against = is_against_mate_1(ends.is_reverse, ends.is_read2);
    const auto is_good = [&](size_t i) { return qualities[i] >= k_min_change_quality; };
    std::array<uint64_t, data::k_base_n + 1> low{};
    for (size_t i = 0; i < reference.size(); ++i) {
        if (!is_good(i)) ++low[reference[i]];
    }
    for (data::Base base = 0; base < data::k_base_n; ++base)
        places[0].bases[in_direction_of_mate_1(base, against)] -= low[base];
    const auto move = [&](int64_t from_own_end) {
        const int64_t offset = ends.is_reverse ? ends.read_bp - 1 - from_own_end : from_own_end;
        if (offset < first || offset - first >= std::ssize(reference)) return;
        const auto i = static_cast<size_t>(offset - first);
        if (reference[i] >= data::k_base_n || !is_good(i)) return;
        const data::Base base = in_direction_of_mate_1(reference[i], against);
        --places[0].bases[base];
        ++places[ends.place_of(offset)].bases[base];
    };
    for (int64_t i = 0; i < k_end_reach_bp; ++i) move(i);
    // The same bases once only.
    const int64_t last = ends.fragment_bp;
    for (int64_t i = std::max(k_end_reach_bp, last - k_end_reach_bp); i < std::min(last, ends.read_bp); ++i)
        move(i);
}

}  // namespace gannet::variants
