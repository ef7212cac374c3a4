// SPDX-License-Identifier: MIT
// Provides the ranges of ALT contigs.
#include "align/alternate.hpp"

#include <algorithm>

namespace gannet::align {

AlternateMap::AlternateMap(const data::Reference& reference, const data::ContigClasses& classes) {
    bool joins = false;  // the contig before is alternate too
    for (uint32_t i = 0; i < reference.contigs().size(); ++i) {
        const data::Contig& contig = reference.contigs()[i];
        const auto begin = static_cast<int64_t>(contig.offset);
        const auto end = begin + static_cast<int64_t>(contig.length);
        if (!classes.is_alternate(i)) {
            joins = false;
        } else if (joins) {
            ranges_.back().end = end;
        } else {
            ranges_.push_back({begin, end});
            joins = true;
        }
    }
}

bool AlternateMap::find(int64_t position) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), position,
                         [](int64_t at, const kernels::GenomeInterval& range) { return at < range.end; });
    return after != ranges_.end() && position >= after->begin;
}

}  // namespace gannet::align
