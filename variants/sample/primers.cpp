// SPDX-License-Identifier: MIT
// Provides the look-ups of primers at the ends of reads.
#include "variants/sample/primers.hpp"

#include "variants/model/sample.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

constexpr int64_t k_tolerance_bp = sample_number("primer_tolerance_bp");

}  // namespace

Primers::Primers(std::span<const Primer> primers) {
    for (const Primer& primer : primers) {
        const data::Region& region = primer.region;
        if (region.contig >= contigs_.size()) contigs_.resize(region.contig + 1);
        Ends& ends = contigs_[region.contig];
        ends.longest = std::max(ends.longest, region.end - region.begin);
        if (primer.strand != '-') ends.left.push_back({region.begin, region.end});
        if (primer.strand != '+') ends.right.push_back({region.begin, region.end});
    }
    for (Ends& ends : contigs_) {
        std::sort(ends.left.begin(), ends.left.end(),
                  [](const Borders& a, const Borders& b) { return a.begin < b.begin; });
        std::sort(ends.right.begin(), ends.right.end(),
                  [](const Borders& a, const Borders& b) { return a.end < b.end; });
    }
}

Primers::Borders Primers::inside(uint32_t contig, const Span& read) const {
    Borders inside{read.begin - read.clipped_left, read.end + read.clipped_right};
    if (contig >= contigs_.size()) return inside;
    const Ends& ends = contigs_[contig];
    // Those that begin at `first` or up to the tolerance behind it, or before and hold it.
    for (const int64_t first : {read.begin - read.clipped_left, read.begin}) {
        auto primer = std::upper_bound(ends.left.begin(), ends.left.end(), first + k_tolerance_bp,
                                       [](int64_t position, const Borders& p) { return position < p.begin; });
        while (primer != ends.left.begin() && (--primer)->begin + ends.longest > first) {
            if (primer->end > first) inside.begin = std::max(inside.begin, primer->end);
        }
    }
    for (const int64_t last : {read.end + read.clipped_right, read.end}) {
        auto primer = std::lower_bound(ends.right.begin(), ends.right.end(), last - k_tolerance_bp,
                                       [](const Borders& p, int64_t position) { return p.end < position; });
        for (; primer != ends.right.end() && primer->end - ends.longest < last; ++primer) {
            if (primer->begin < last) inside.end = std::min(inside.end, primer->begin);
        }
    }
    return inside;
}

}  // namespace gannet::variants
