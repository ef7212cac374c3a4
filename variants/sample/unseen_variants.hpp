// SPDX-License-Identifier: MIT
// Provides an estimate of how many mismatches are variants that too few reads show to be taken for such.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gannet::variants {

/// What the profile of a sample counts over its places. A place has an apparent variant where at least
/// k_min_variant_fragments and one in k_min_variant_part have one other base. At a depth of 3, most of the
/// heterozygous SNVs are not apparent, and their reads look like errors. Sums, so that the order does not
/// matter.
struct UnseenVariants {
    uint64_t apparent = 0;  ///< places with one
    /// Of variants at all places, how many would be apparent, x 2^20, and how many reads would show the other
    /// ones, x 2^20. Three in five are taken to be heterozygous.
    uint64_t would_be_apparent = 0;
    uint64_t reads_of_others = 0;

    /// So many places have this depth.
    void add_depth(size_t depth, uint64_t places);
    void add(const UnseenVariants& other);
    /// How many mismatches at places without an apparent variant are variants: as frequent as at the others.
    uint64_t mismatches() const;
    bool operator==(const UnseenVariants&) const = default;
};

/// Whether a base on `fragments` of `depth` is an apparent variant.
bool is_apparent_variant(uint64_t fragments, uint64_t depth);

}  // namespace gannet::variants
