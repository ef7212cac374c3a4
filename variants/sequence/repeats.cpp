// SPDX-License-Identifier: MIT
// Provides the answers about homopolymers and tandem repeats of the reference from its repeated bases.
#include "variants/sequence/repeats.hpp"

#include "variants/model/sequence.hpp"

#include <algorithm>
#include <cstdlib>

namespace gannet::variants {

namespace {

constexpr auto k_max_period = static_cast<int64_t>(data::TandemRepeats::k_max_period);
constexpr int64_t k_min_repeated_bp =
    sequence_number("repeat_min_repeated_bp");  // of what repeat_reach_bp() takes for a repeat

constexpr int64_t k_min_copy_bp = sequence_number("copy_min_bp");
constexpr int64_t k_copies_beside = sequence_number("copies_beside");
constexpr int64_t k_copy_bases_per_difference = sequence_number("copy_bases_per_difference");

}  // namespace

int64_t homopolymer_bp(const ReferenceSlice& slice, int64_t position, Direction direction) {
    if (slice.at(position) >= data::k_base_n) return 0;
    return 1 + (direction == Direction::rightward ? slice.repeated_from(1, position + 1)
                                                  : slice.repeated_before(1, position + 1));
}

int64_t longest_homopolymer(const ReferenceSlice& slice, int64_t position, int64_t reach) {
    constexpr int64_t k_max_side = sequence_number("context_homopolymer_side_bp");
    int64_t longest = 0;
    for (int64_t start = position - reach; start <= position + reach; ++start) {
        if (slice.at(start) >= data::k_base_n) continue;
        const int64_t left = std::min(k_max_side, slice.repeated_before(1, start + 1));
        const int64_t right = std::min(k_max_side, 1 + slice.repeated_from(1, start + 1));
        longest = std::max(longest, left + right);
    }
    return longest;
}

int64_t tandem_repeat_bp(const ReferenceSlice& slice, int64_t position) {
    constexpr int64_t k_max_side = sequence_number("context_repeat_side_bp");
    int64_t longest = 0;
    for (int64_t period = 2; period <= k_max_period; ++period) {
        const int64_t left = std::min(k_max_side, slice.repeated_before(period, position + period));
        const int64_t right = std::min(k_max_side, 1 + slice.repeated_from(period, position + 1));
        if (left + right >= 2 * period) longest = std::max(longest, left + right);
    }
    return longest;
}

int64_t repeat_reach_bp(const ReferenceSlice& slice, int64_t position, Direction direction, int64_t limit) {
    int64_t reach = 0;
    for (int64_t start = 0; start < k_max_period; ++start) {
        for (int64_t period = 1; period <= k_max_period; ++period) {
            const int64_t repeated =
                std::min(limit - start, direction == Direction::rightward
                                            ? slice.repeated_from(period, position + start)
                                            : slice.repeated_before(period, position - start + period + 1));
            if (repeated >= std::max(k_min_repeated_bp, period)) reach = std::max(reach, start + repeated);
        }
    }
    return reach;
}

int64_t repeat_beside_bp(const ReferenceSlice& slice, int64_t border, Direction direction, int64_t limit) {
    int64_t longest = 0;
    for (int64_t period = 1; period <= k_max_period; ++period) {
        const int64_t repeated = direction == Direction::rightward
                                     ? slice.repeated_from(period, border + period)
                                     : slice.repeated_before(period, border);
        longest = std::max(longest, period + repeated);
    }
    return std::min(longest, limit);
}

int64_t shared_with_shift_bp(const ReferenceSlice& slice, int64_t position, int64_t shift,
                             Direction direction, int64_t limit) {
    const int64_t period = std::abs(shift);
    const int64_t later = std::max<int64_t>(0, shift);  // the later base of a pair is the repeated one
    return std::min(limit, direction == Direction::rightward
                               ? slice.repeated_from(period, position + 1 + later)
                               : slice.repeated_before(period, position + later));
}

int64_t differences_at(const ReferenceSlice& slice, int64_t position, std::span<const data::Base> bases,
                       int64_t most) {
    int64_t different = 0;
    for (size_t i = 0; i < bases.size() && different <= most; ++i)
        different += bases[i] != slice.at(position + static_cast<int64_t>(i)) ? 1 : 0;
    return different;
}

bool is_copy_of_neighbour(const ReferenceSlice& slice, int64_t begin, int64_t end,
                          std::span<const data::Base> bases) {
    const auto size = static_cast<int64_t>(bases.size());
    if (size < k_min_copy_bp) return false;
    const int64_t most = size / k_copy_bases_per_difference;
    return differences_at(slice, begin - size, bases, most) <= most ||
           differences_at(slice, end, bases, most) <= most;
}

int64_t differences_from_copies(const ReferenceSlice& slice, int64_t border,
                                std::span<const data::Base> inserted) {
    const auto size = static_cast<int64_t>(inserted.size());
    int64_t fewest = size;
    for (int64_t copy = -k_copies_beside; copy < k_copies_beside && fewest > 0; ++copy)
        fewest = std::min(fewest, differences_at(slice, border + copy * size, inserted, fewest));
    return fewest;
}

void find_repeat_edges(const ReferenceSlice& slice, int64_t begin, int64_t end, int64_t flank, int64_t margin,
                       std::vector<RepeatEdge>& edges) {
    edges.clear();
    const int64_t stop = end + margin;
    for (int64_t period = 1; period <= k_max_period; ++period) {
        // A shorter one ends within the flank, which is asked for anyway.
        const int64_t shortest = std::max(2 * period, flank);
        slice.repeats().for_each(
            static_cast<size_t>(period), static_cast<size_t>(shortest),
            static_cast<size_t>(begin - slice.begin()), data::UnknownBases::never_repeat,
            [&](const data::TandemRepeats::Repeat& repeat) {
                const int64_t before = slice.begin() + static_cast<int64_t>(repeat.begin) - 1;
                if (before >= end) return false;
                if (before < begin) return true;
                const int64_t repeat_end = slice.begin() + static_cast<int64_t>(repeat.end);
                const int64_t needed_end = std::min(repeat_end, stop + 1 + period) + 1;
                if (needed_end - before > 1 + flank) edges.push_back({before, needed_end});
                return true;
            });
    }
    std::sort(edges.begin(), edges.end(), [](const RepeatEdge& a, const RepeatEdge& b) {
        return a.position != b.position ? a.position < b.position : a.needed_end > b.needed_end;
    });
    const auto last = std::unique(edges.begin(), edges.end(), [](const RepeatEdge& a, const RepeatEdge& b) {
        return a.position == b.position;
    });
    edges.erase(last, edges.end());
}

}  // namespace gannet::variants
