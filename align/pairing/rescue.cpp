// SPDX-License-Identifier: MIT
// Provides the windows in which reads are searched for near their mates, and the merging of what is found.
#include "align/pairing/rescue.hpp"

#include "align/alternate.hpp"
#include "kernels/candidates/candidate_list.hpp"

#include <algorithm>

namespace gannet::align {
namespace {

using kernels::RescueWindow;

using kernels::k_max_rescues;
using kernels::k_min_rescued_bp;
using kernels::candidates::drop_redundant;
using kernels::candidates::primary_candidates;

/// Of `read` (of `length`) beside `anchor`, a candidate of its mate (of `anchor_length`).
RescueWindow mate_window(const Candidate& anchor, uint32_t anchor_length, uint32_t read, uint32_t length,
                         const InsertSizeModel& model) {
    if (anchor.strand == 0) {
        const int64_t begin = anchor.target_begin - anchor.query_begin;
        return {begin + model.low_bp - length, begin + model.high_bp - length + 1, read, 1};
    }
    const int64_t end = anchor.target_end + (anchor_length - anchor.query_end);
    return {end - model.high_bp, end - model.low_bp + 1, read, 0};
}

bool has_candidate_in(std::span<const Candidate> candidates, const RescueWindow& window) {
    return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
        return candidate.strand == window.strand && candidate.diagonal >= window.begin &&
               candidate.diagonal < window.end;
    });
}

/// True if no alignment of the read where it has no candidate could count: it would differ in each complete
/// seed, so that a pair with it scores no more than the anchor with the read's best candidate far away.
bool rescue_is_futile(const ReadState& read, std::span<const Candidate> candidates,
                      const AlignerParameters& parameters) {
    if (read.left_out.truncated != 0 || candidates.empty()) return false;
    const auto most = static_cast<int32_t>(read.length) * parameters.scoring.match -
                      static_cast<int32_t>(read.complete_seeds) * parameters.scoring.least_loss();
    return most <= candidates.front().score - parameters.unpaired_penalty;
}

/// Appends the windows in which `read` is searched for beside the candidates of its mate, `anchor_read`.
void list_windows_beside(const AlignerParameters& parameters, const InsertSizeModel& model,
                         uint32_t anchor_read, uint32_t read, AlignmentWork::State& state) {
    const ReadState& anchor_state = state.reads[anchor_read];
    const ReadState& own = state.reads[read];
    if (own.length < k_min_rescued_bp || own.length > k_max_read_bp) return;
    const auto anchors = candidate_parts(state, anchor_state, parameters).competing;
    const auto candidates = std::span<const Candidate>(state.candidates)
                                .subspan(own.candidate_begin, own.candidate_end - own.candidate_begin);
    // A candidate on an ALT contig does not compete with what a rescue may find.
    if (rescue_is_futile(own, candidates.first(primary_candidates(candidates)), parameters)) return;
    for (size_t i = 0; i < std::min<size_t>(anchors.size(), k_max_rescues); ++i) {
        if (anchors[i].score < anchors[0].score - parameters.unpaired_penalty) break;
        const RescueWindow window = mate_window(anchors[i], anchor_state.length, read, own.length, model);
        if (!has_candidate_in(candidates, window)) state.windows.push_back(window);
    }
}

}  // namespace

void list_windows(const AlignerParameters& parameters, const InsertSizeModel& model, uint32_t first,
                  uint32_t last, AlignmentWork::State& state) {
    for (uint32_t anchor = first; anchor < last; ++anchor)
        list_windows_beside(parameters, model, anchor, anchor ^ 1, state);
}

void merge_rescued(const Extender& extender, const AlignerParameters& parameters,
                   AlignmentWork::State& state) {
    std::vector<Candidate>& rescued = state.rescued.candidates;
    const auto read_of = [&state](size_t i) { return state.windows[state.rescued.window[i]].read; };
    for (size_t i = 0; i < rescued.size();) {
        // A read's candidates move to the end of the list, followed by the rescued ones.
        const uint32_t index = read_of(i);
        ReadState& read = state.reads[index];
        const size_t begin = state.candidates.size();
        for (uint32_t j = read.candidate_begin; j < read.candidate_end; ++j) {
            const Candidate copy = state.candidates[j];
            state.candidates.push_back(copy);
        }
        const int32_t least = parameters.minimum_score_of(read.length);
        for (; i < rescued.size() && read_of(i) == index; ++i) {
            extender.take_scores(rescued[i]);
            if (rescued[i].score >= least) state.candidates.push_back(rescued[i]);
        }
        const std::span<Candidate> candidates = std::span(state.candidates).subspan(begin);
        state.candidates.resize(
            begin + drop_redundant(candidates, parameters.band, parameters.scoring.mismatch_loss()));
        read.candidate_begin = static_cast<uint32_t>(begin);
        read.candidate_end = static_cast<uint32_t>(state.candidates.size());
    }
}

}  // namespace gannet::align
