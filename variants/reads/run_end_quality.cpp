// SPDX-License-Identifier: MIT
// Provides the search for homopolymer runs in reads, and the caps behind them.
#include "variants/reads/run_end_quality.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace gannet::variants {

namespace {

/// Caps what follows the run [begin, end) in the direction of sequencing.
void cap_after(ReadSet& set, const CallRead& read, size_t begin, size_t end) {
    const size_t first = read.reverse ? begin - std::min(begin, k_run_end_reach_bp) : end;
    const size_t last = read.reverse ? begin : std::min<size_t>(read.length, end + k_run_end_reach_bp);
    for (size_t at = read.bases + first; at < read.bases + last; ++at) {
        if (set.qualities[at] <= k_run_end_quality) continue;
        set.capped.emplace_back(static_cast<uint32_t>(at), set.qualities[at]);
        set.qualities[at] = k_run_end_quality;
    }
}

}  // namespace

void cap_qualities_after_runs(ReadSet& set) {
    static_assert(k_run_bp >= 15, "such a run covers eight bases that begin at a multiple of eight");
    for (const CallRead& read : set.reads) {
        const data::Base* bases = set.bases.data() + read.bases;
        for (size_t i = 0; i + 8 <= read.length; i += 8) {
            uint64_t eight;
            std::memcpy(&eight, bases + i, 8);
            if (eight != bases[i] * 0x0101010101010101u || bases[i] > 3) continue;
            size_t begin = i;
            size_t end = i + 8;
            while (begin > 0 && bases[begin - 1] == bases[i]) --begin;
            while (end < read.length && bases[end] == bases[i]) ++end;
            if (end - begin >= k_run_bp) cap_after(set, read, begin, end);
            i = (end - 1) / 8 * 8;
        }
    }
    // They are in order already, but where reads are in another order than their bases (sort_reads()).
    if (!std::is_sorted(set.capped.begin(), set.capped.end()))
        std::sort(set.capped.begin(), set.capped.end());
}

}  // namespace gannet::variants
