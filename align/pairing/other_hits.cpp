// SPDX-License-Identifier: MIT
// Provides the choice of other hits, by score and by what they align of the read.
#include "align/pairing/other_hits.hpp"

#include "kernels/pairing/pairing_terms.hpp"

#include <algorithm>

namespace gannet::align {
namespace {

using kernels::pairing_terms::overlaps;

bool is_listed(const Candidate& hit, const Candidate& own, uint32_t length) {
    return kernels::is_listed_beside(hit.score, own.score) && overlaps(hit, length, own);
}

}  // namespace

void add_other_hits(const ReadState& read, const ChosenRange& range, int32_t minimum_score,
                    AlignmentWork::State& state) {
    if (read.candidate_end - read.candidate_begin <= range.end - range.begin) return;
    const auto is_record = [&](uint32_t candidate) {
        return std::any_of(state.chosen.begin() + range.begin, state.chosen.begin() + range.end,
                           [candidate](const Chosen& chosen) { return chosen.candidate == candidate; });
    };
    for (uint32_t i = range.begin; i < range.end; ++i) {
        Chosen& chosen = state.chosen[i];
        const Candidate& own = state.candidates[chosen.candidate];
        const size_t begin = state.other_hits.size();
        bool alternate = own.alternate;
        for (uint32_t j = read.candidate_begin; j < read.candidate_end; ++j) {
            const Candidate& hit = state.candidates[j];
            if (hit.score < minimum_score || !is_listed(hit, own, read.length) || is_record(j)) continue;
            alternate |= hit.alternate;
            state.other_hits.push_back({j});
        }
        const size_t limit = alternate ? k_max_other_hits_with_alternates : k_max_other_hits;
        if (state.other_hits.size() - begin > limit) state.other_hits.resize(begin);
        chosen.other_begin = static_cast<uint32_t>(begin);
        chosen.other_end = static_cast<uint32_t>(state.other_hits.size());
    }
}

}  // namespace gannet::align
