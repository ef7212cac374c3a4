// SPDX-License-Identifier: MIT
// Provides the making of extension jobs: sequences cut out at the anchor, to the left of it reversed.
#include "align/extend.hpp"

#include "align/chain.hpp"
#include "align/ungapped.hpp"
#include "data/base_arrays.hpp"
#include "kernels/candidates/candidates_order.hpp"
#include "kernels/genome/fetch.hpp"

#include <algorithm>

namespace gannet::align {

uint32_t Extender::add_job(uint32_t read, const Candidate& candidate, bool left, uint8_t flags) {
    const data::Contig& contig = reference_.contigs()[candidate.contig];
    const auto contig_begin = static_cast<int64_t>(contig.offset);
    const kernels::ExtensionJob job = kernels::candidates::extension_job(
        {contig_begin, contig_begin + static_cast<int64_t>(contig.length)}, parameters_.scoring,
        parameters_.band, read, static_cast<uint32_t>(batch_.read_bases(read).size()), candidate, left);
    return add_job(job, flags);
}

uint32_t Extender::add_job(const kernels::ExtensionJob& job, uint8_t flags) {
    AlignmentWork::State& state = *work_.state;
    const std::span<const data::Base> bases = batch_.read_bases(job.read);
    const size_t length = job.query_length;
    const std::span<const data::Base> part =
        bases.subspan(job.strand == 0 ? job.query_begin : bases.size() - job.query_begin - length, length);
    state.query.resize(length);
    // Left of the anchor both are reversed. The reverse of the reverse complement is the complement.
    if (job.left == 0) {
        orient(part, job.strand, state.query);
        state.target.resize(job.target_length);
        reference_.genome_bases(job.target_begin, state.target);
        return work_.jobs.add(state.query, state.target, job.band, flags);
    }
    if (job.strand == 0) {
        data::reverse_bytes(part, state.query);
    } else {
        data::complement_bases(part, state.query);
    }
    state.target.resize(2 * size_t{job.target_length});
    const std::span<data::Base> target = std::span(state.target).first(job.target_length);
    const std::span<data::Base> forward = std::span(state.target).subspan(job.target_length);
    reference_.genome_bases(job.target_begin, forward);
    data::reverse_bytes(forward, target);
    flags |= kernels::k_sw_gaps_late;
    return work_.jobs.add(state.query, target, job.band, flags);
}

void Extender::fetch_targets(const Candidate& candidate, uint32_t read_length) const {
    const std::span<const uint64_t> packed = reference_.packed();
    const auto fetch_base = [&](int64_t at) {
        const auto word = static_cast<size_t>(std::max<int64_t>(at, 0)) >> 5;
        kernels::fetch(packed.data() + std::min(word, packed.size() - 1));
    };
    // The far ends; what is between them and the anchor has been compared with the read.
    if (candidate.left_gapped) fetch_base(candidate.diagonal - parameters_.band);
    if (candidate.right_gapped) fetch_base(candidate.diagonal + read_length + parameters_.band);
}

void Extender::add_score_jobs(uint32_t read, Candidate& candidate) {
    candidate.left_job = candidate.left_gapped ? add_job(read, candidate, true, 0) : k_none;
    candidate.right_job = candidate.right_gapped ? add_job(read, candidate, false, 0) : k_none;
}

void Extender::add_traceback_jobs(uint32_t read, const Candidate& candidate, Traced& traced) {
    if (candidate.left_gapped) {
        traced.left_job = add_job(read, candidate, true, kernels::k_sw_traceback);
    }
    if (candidate.right_gapped) {
        traced.right_job = add_job(read, candidate, false, kernels::k_sw_traceback);
    }
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
    return drop_redundant(candidates, parameters.band, parameters.scoring.mismatch_loss());
}

}  // namespace gannet::align
