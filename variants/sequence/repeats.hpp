// SPDX-License-Identifier: MIT
// Provides what the steps of calling ask about the homopolymers and tandem repeats of the reference. All of
// it follows from the repeated bases of the window's slice (data/tandem_repeats.hpp); N never repeats.
#pragma once

#include "variants/sequence/allele.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

enum class Direction : uint8_t { leftward, rightward };

/// Bases of the homopolymer that begins at the position, which is the first one, and extends in the
/// direction; 0 of an unknown base.
int64_t homopolymer_bp(const ReferenceSlice& slice, int64_t position, Direction direction);

/// Longest homopolymer that begins or ends within `reach` bases of the position; of each, no more than 30
/// bases to either side of its first base within reach.
int64_t longest_homopolymer(const ReferenceSlice& slice, int64_t position, int64_t reach);

/// The longest tandem repeat of period 2 to 6 around the position, bases: of those that have a whole unit
/// from the position on and all but one base of a unit before it, so that neither the first bases of a repeat
/// nor its last ones count as inside it. No more than 60 bases to either side.
int64_t tandem_repeat_bp(const ReferenceSlice& slice, int64_t position);

/// How far a tandem repeat of period 1 to 6 extends from the position, which counts: 0, or up to `limit`
/// bases where at least three bases and a whole unit are repeated from one of the first six bases on.
int64_t repeat_reach_bp(const ReferenceSlice& slice, int64_t position, Direction direction, int64_t limit);

/// Length of the longest tandem repeat of period 1 to 6 that begins at a border between two bases (rightward)
/// or ends there (leftward); at most `limit`, at least 6: a unit need not be repeated.
int64_t repeat_beside_bp(const ReferenceSlice& slice, int64_t border, Direction direction, int64_t limit);

/// Bases that differ from the reference from the position on, of which what is outside of the slice is N;
/// more than `most` are not counted.
int64_t differences_at(const ReferenceSlice& slice, int64_t position, std::span<const data::Base> bases,
                       int64_t most);

/// Whether the bases are nearly a copy of as many bases of the reference before `begin` or from `end` on, so
/// that in place of [begin, end) they are one copy more of a repeat, or are one that a deletion of them takes
/// away: its copies may have begun to differ. False of few bases, which resemble others by chance.
bool is_copy_of_neighbour(const ReferenceSlice& slice, int64_t begin, int64_t end,
                          std::span<const data::Base> bases);

/// The fewest bases in which the inserted ones differ from a copy of the repeat: from as many bases of the
/// reference that begin 1 to 8 times their number before or behind the border, or at it.
int64_t differences_from_copies(const ReferenceSlice& slice, int64_t border,
                                std::span<const data::Base> inserted);

/// Bases beyond the position, in the direction, that equal those `shift` (-6 to 6, not 0) bases further
/// right; at most `limit`.
int64_t shared_with_shift_bp(const ReferenceSlice& slice, int64_t position, int64_t shift,
                             Direction direction, int64_t limit);

/// A tandem repeat that begins after `position`: a read shows its length if it is aligned to `needed_end`.
struct RepeatEdge {
    int64_t position = 0;
    int64_t needed_end = 0;
    bool operator==(const RepeatEdge&) const = default;
};

/// Of the positions of [begin, end), those after which a tandem repeat of period 1 to 6 begins, with a whole
/// second unit, of which a read must reach more than 1 + `flank` bases beyond the position. Repeats are
/// followed to `margin` bases beyond `end`; the slice must reach 7 bases further. Ascending.
void find_repeat_edges(const ReferenceSlice& slice, int64_t begin, int64_t end, int64_t flank, int64_t margin,
                       std::vector<RepeatEdge>& edges);

}  // namespace gannet::variants
