// SPDX-License-Identifier: MIT
// Provides the bases of a haplotype with one insertion or deletion, where reads without a gap are aligned.
#pragma once

#include "variants/sequence/allele.hpp"

#include <cstdint>
#include <span>

namespace gannet::variants {

/// Of its two sides one keeps the positions of the reference, and the other one is moved, as the bases of a
/// read that is aligned without the gap are.
struct GappedHaplotype {
    const ReferenceSlice& slice;
    std::span<const data::Base> inserted;
    int64_t growth = 0;  ///< bases inserted less bases deleted
    bool keeps_left = true;
    int64_t border = 0;  ///< the first position that is not of the left side, or the first of the right side

    data::Base at(int64_t position) const {
        const int64_t beyond =
            keeps_left ? position - border : border - 1 - position;  // the side that is kept
        if (beyond < 0) return slice.at(position);
        const auto size = static_cast<int64_t>(inserted.size());
        if (beyond < size) return inserted[static_cast<size_t>(keeps_left ? beyond : size - 1 - beyond)];
        return slice.at(keeps_left ? position - growth : position + growth);
    }
};

}  // namespace gannet::variants
