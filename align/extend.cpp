// SPDX-License-Identifier: MIT
// Provides the making of extension jobs, and the taking of their results.
#include "align/extend.hpp"

#include "kernels/candidates/candidate_list.hpp"

namespace gannet::align {

uint32_t Extender::add_job(uint32_t read, const Candidate& candidate, bool left) {
    work_.jobs.push_back(kernels::candidates::job_of_side(parameters_, genome_, read,
                                                          work_.state->reads[read].length, candidate, left));
    return static_cast<uint32_t>(work_.jobs.size() - 1);
}

void Extender::add_traceback_jobs(uint32_t read, const Candidate& candidate, Traced& traced) {
    if (candidate.left_gapped) traced.left_job = add_job(read, candidate, true);
    if (candidate.right_gapped) traced.right_job = add_job(read, candidate, false);
}

void Extender::take_scores(Candidate& candidate) const {
    const kernels::BandedSwResults& results = work_.results;
    // A side that was not extended keeps its ungapped score.
    if (candidate.left_job != k_none) {
        const uint32_t job = candidate.left_job;
        candidate.score += results.score[job] - candidate.left_score;
        candidate.left_score = results.score[job];
        candidate.left_quality = 0;
        candidate.query_begin = candidate.anchor_begin - results.query_end[job];
        candidate.target_begin =
            candidate.diagonal + candidate.anchor_begin - static_cast<int64_t>(results.target_end[job]);
    }
    if (candidate.right_job != k_none) {
        const uint32_t job = candidate.right_job;
        candidate.score += results.score[job] - candidate.right_score;
        candidate.right_score = results.score[job];
        candidate.right_quality = 0;
        candidate.query_end = candidate.anchor_end + results.query_end[job];
        candidate.target_end =
            candidate.diagonal + candidate.anchor_end + static_cast<int64_t>(results.target_end[job]);
    }
}

size_t take_extension_results(const Extender& extender, std::span<Candidate> candidates,
                              const AlignerParameters& parameters) {
    bool any = false;
    for (Candidate& candidate : candidates) {
        any |= candidate.left_job != k_none || candidate.right_job != k_none;
        extender.take_scores(candidate);
    }
    if (!any) return candidates.size();
    return kernels::candidates::drop_redundant(candidates, parameters.band,
                                               parameters.scoring.mismatch_loss());
}

}  // namespace gannet::align
