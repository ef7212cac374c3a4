// SPDX-License-Identifier: MIT
// Provides the tandem copies of a window that pairs which point away from each other show.
#pragma once

#include "variants/reads/read_set.hpp"

#include <cstdint>
#include <vector>

namespace gannet::variants {

/// A stretch that is followed by a copy of itself: fragments over the junction of the two begin near its end
/// and end near its begin. `begin` and `end` are those of its outermost reads; where one is outside of the
/// window's reads, it follows from the TLEN of the others, and is right to the length of two reads.
struct TandemCopy {
    int64_t begin = 0, end = 0;
    int32_t fragments = 0;
};

/// Sets `copies` to those that two fragments or more show, by begin; none where a place is joined to two
/// others, as by misplaced reads of a paralog. Stretches shorter than a fragment are not found: over their
/// junction pairs point to each other. Linear in the reads, but for pairs that point away from each other:
/// these are sorted.
void find_tandem_copies(const ReadSet& set, std::vector<TandemCopy>& copies);

}  // namespace gannet::variants
