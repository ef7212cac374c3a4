// SPDX-License-Identifier: MIT
// Provides the look-up of the seeds of a part, and the comparison of the read with what they give.
#include "align/pairing/part_search.hpp"

#include "align/pairing/placement.hpp"
#include "kernels/pairing/pairing_terms.hpp"

#include <algorithm>
#include <vector>

namespace gannet::align {

using kernels::k_part_entries;

/// All, or those on both sides of the place that the seed's context has among them.
std::span<const IndexEntry> PartSearch::entries_of(uint32_t read, const Syncmer& seed) const {
    const std::span<const IndexEntry> run = omitted_.index().find(seed.hash);
    if (run.size() <= k_part_entries) return run;
    const uint32_t length = omitted_.state().reads[read].length;
    const uint32_t k = omitted_.index().parameters().kmer;
    const uint32_t behind = seed.reverse ? seed.position : length - k - seed.position;
    const SeedContext context(omitted_, read, seed, std::min(behind, k_context_bases));
    const auto place = std::partition_point(run.begin(), run.end(),
                                            [&](IndexEntry entry) { return context.order(entry) < 0; });
    const auto at = static_cast<size_t>(place - run.begin());
    const size_t first = std::min(at - std::min(at, k_part_entries / 2), run.size() - k_part_entries);
    return run.subspan(first, k_part_entries);
}

int32_t PartSearch::best_rival(uint32_t read_index, const Candidate& chosen) const {
    AlignmentWork::State& state = omitted_.state();
    const uint32_t k = omitted_.index().parameters().kmer;
    const ReadState& read = state.reads[read_index];
    const bool reverse = chosen.strand != 0;
    const auto begin = static_cast<uint32_t>(reverse ? read.length - chosen.query_end : chosen.query_begin);
    const auto end = static_cast<uint32_t>(reverse ? read.length - chosen.query_begin : chosen.query_end);
    omitted_.find_seeds(read_index);
    std::vector<uint64_t>& placements = state.placements;
    placements.clear();
    for (const Syncmer& seed : state.syncmers) {
        if (seed.position < begin || seed.position + k > end) continue;
        for (const IndexEntry entry : entries_of(read_index, seed))
            placements.push_back(placement_of(read, seed, k, entry));
    }
    std::sort(placements.begin(), placements.end());
    placements.erase(std::unique(placements.begin(), placements.end()), placements.end());
    // Of a gapped alignment all diagonals are its own.
    const auto [low, high] = std::minmax({chosen.diagonal, chosen.target_begin - int64_t{chosen.query_begin},
                                          chosen.target_end - int64_t{chosen.query_end}});
    int32_t best = 0;
    for (const uint64_t placement : placements) {
        Candidate other = candidate_at(placement);
        if (other.strand == chosen.strand && low <= other.diagonal && other.diagonal <= high) continue;
        if (!omitted_.ungapped().compare(read_index, other) || other.alternate != chosen.alternate) continue;
        if (kernels::pairing_terms::overlaps(other, read.length, chosen)) best = std::max(best, other.score);
    }
    return best;
}

}  // namespace gannet::align
