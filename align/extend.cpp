// SPDX-License-Identifier: MIT
// Provides the making of extension jobs: sequences cut out at the anchor, to the left of it reversed.
#include "align/extend.hpp"

#include "align/chain.hpp"
#include "align/ungapped.hpp"

#include <algorithm>

namespace gannet::align {
namespace {

/// Candidates of a read that are extended, best ungapped score first. Heuristic.
constexpr size_t k_max_extended = 16;

}  // namespace

uint32_t Extender::add_job(uint32_t read, const Candidate& candidate, bool left, uint8_t flags) {
    AlignmentWork::State& state = *work_.state;
    const kernels::BandedSwScoring& scoring = parameters_.scoring;
    orient(batch_.read_bases(read), candidate.strand, state.query);
    const std::span<uint8_t> all(state.query);
    const std::span<uint8_t> query =
        left ? all.first(candidate.anchor_begin) : all.subspan(candidate.anchor_end);
    const auto length = static_cast<int64_t>(query.size());
    // A longer gap costs more than all matches and the bonus can bring: the band need not be wider.
    const int64_t longest_gap =
        (length * scoring.match + scoring.end_bonus - scoring.gap_open) / scoring.gap_extend;
    const int64_t band = std::clamp<int64_t>(longest_gap, 1, parameters_.band);
    const data::Contig& contig = reference_.contigs()[candidate.contig];
    const auto contig_begin = static_cast<int64_t>(contig.offset);
    const auto contig_end = contig_begin + static_cast<int64_t>(contig.length);
    const int64_t anchor = candidate.diagonal + (left ? candidate.anchor_begin : candidate.anchor_end);
    const int64_t begin = left ? std::max(contig_begin, anchor - length - band) : anchor;
    const int64_t end = left ? anchor : std::min(contig_end, anchor + length + band);
    state.target.resize(static_cast<size_t>(std::max<int64_t>(0, end - begin)));
    reference_.genome_bases(begin, state.target);
    if (left) {
        std::reverse(query.begin(), query.end());
        std::reverse(state.target.begin(), state.target.end());
        flags |= kernels::k_sw_gaps_late;
    }
    return work_.jobs.add(query, state.target, static_cast<uint16_t>(band), flags);
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

void add_extension_jobs(Extender& extender, uint32_t read, std::span<Candidate> candidates) {
    size_t extended = 0;
    for (Candidate& candidate : candidates) {
        if (!candidate.left_gapped && !candidate.right_gapped) continue;
        const Candidate& best = candidates.front();
        if (extended == k_max_extended ||
            (candidate.score < best.score - k_hopeless_below && candidate.seeds * 2 < best.seeds)) {
            candidate.left_gapped = candidate.right_gapped = false;
            continue;
        }
        extender.add_score_jobs(read, candidate);
        ++extended;
    }
}

size_t take_extension_results(const Extender& extender, std::span<Candidate> candidates, int64_t band) {
    bool any = false;
    for (Candidate& candidate : candidates) {
        any |= candidate.left_job != k_none || candidate.right_job != k_none;
        extender.take_scores(candidate);
    }
    if (!any) return candidates.size();
    return drop_redundant(candidates, band);
}

}  // namespace gannet::align
