// SPDX-License-Identifier: MIT
// Provides the choice of alignments to ALT contigs, in the order of their scores.
#include "align/pairing/alternate_hits.hpp"

#include <algorithm>

namespace gannet::align {
namespace {

using kernels::pairing_terms::overlaps;

/// Best score of the candidates that overlap `hit`, without itself; 0 if none does.
int32_t best_overlapping(std::span<const Candidate> candidates, const Candidate& hit, uint32_t length) {
    for (const Candidate& other : candidates) {
        if (&other != &hit && overlaps(other, length, hit)) return other.score;
    }
    return 0;
}

Chosen make_chosen(const CandidateParts& parts, const ReadState& read, size_t index,
                   const kernels::BandedSwScoring& scoring) {
    const Candidate& hit = parts.aside[index];
    Chosen chosen;
    chosen.candidate = parts.begin + static_cast<uint32_t>(parts.competing.size() + index);
    chosen.supplementary = true;
    chosen.sub_score = std::max(best_overlapping(parts.competing, hit, read.length),
                                best_overlapping(parts.aside, hit, read.length));
    chosen.mapping_quality = kernels::mapping_quality_alone(hit.score, chosen.sub_score, scoring);
    return chosen;
}

}  // namespace

void add_alternate_hits(const CandidateParts& parts, const ReadState& read, uint32_t first,
                        const AlignerParameters& parameters, const kernels::PairingBatch& batch,
                        uint32_t template_index, AlignmentWork::State& state) {
    if (parts.aside.empty()) return;
    const auto candidate_of = [&state](const Chosen& chosen) -> const Candidate& {
        return state.candidates[chosen.candidate];
    };
    const size_t on_primary = state.chosen.size();
    for (size_t i = first; i < on_primary; ++i) {
        const Candidate& own = candidate_of(state.chosen[i]);
        const int32_t best = best_overlapping(parts.aside, own, read.length);
        if (best > own.score) state.chosen[i].alternate_score = best;
    }
    const auto reportable = [&](const Candidate& candidate) {
        bool covered = best_overlapping(parts.competing, candidate, read.length) >= candidate.score;
        for (size_t j = on_primary; j < state.chosen.size(); ++j)
            covered |= overlaps(candidate, read.length, candidate_of(state.chosen[j]));
        return !covered;
    };
    for (size_t i = 0; i < parts.aside.size(); ++i) {
        const Candidate& best = parts.aside[i];
        if (best.score < parameters.minimum_score_of(read.length) ||
            state.chosen.size() == on_primary + k_max_alternate_hits)
            break;
        if (!reportable(best)) continue;
        size_t preferred = i;
        for (size_t j = i + 1; j < parts.aside.size() && parts.aside[j].score == best.score; ++j) {
            const Candidate& equal = parts.aside[j];
            if (overlaps(equal, read.length, best) && reportable(equal) &&
                kernels::pairing_terms::is_preferred(batch, template_index, equal, parts.aside[preferred]))
                preferred = j;
        }
        state.chosen.push_back(make_chosen(parts, read, preferred, parameters.scoring));
    }
}

}  // namespace gannet::align
