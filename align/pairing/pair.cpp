// SPDX-License-Identifier: MIT
// Provides what is reported of a template whose reads the op pairing has placed.
#include "align/pairing/pair.hpp"

#include "align/alternate.hpp"
#include "align/pairing/alternate_hits.hpp"
#include "align/pairing/other_hits.hpp"
#include "align/pairing/pair_search.hpp"
#include "align/pairing/part_search.hpp"
#include "kernels/pairing/pairing_terms.hpp"

#include <algorithm>

namespace gannet::align {
namespace {

using kernels::k_max_supplementaries;
using kernels::PlacedRead;
using kernels::pairing_terms::overlaps;

/// Best score of another candidate that overlaps the one at `chosen` in the read, or of a diagonal that was
/// too bad to be one; 0 if none.
int32_t best_other(std::span<const Candidate> all, uint32_t chosen, const ReadState& read) {
    for (uint32_t i = 0; i < all.size(); ++i) {
        if (i != chosen && overlaps(all[i], read.length, all[chosen]))
            return std::max(all[i].score, read.left_out.pruned_score);
    }
    return read.left_out.pruned_score;
}

}  // namespace

kernels::PairingParameters pairing_parameters(const AlignerParameters& parameters,
                                              const InsertSizeModel& model, uint32_t kmer) {
    kernels::PairingParameters out;
    out.scoring = parameters.scoring;
    out.minimum_score = parameters.minimum_score;
    out.unpaired_penalty = parameters.unpaired_penalty;
    out.kmer = kmer;
    out.mean_bp = model.mean_bp;
    out.sd_bp = model.sd_bp;
    out.low_bp = model.low_bp;
    out.high_bp = model.high_bp;
    return out;
}

kernels::PairingBatch pairing_batch(const data::ReadBatch& batch, AlignmentWork::State& state) {
    state.pairing_reads.assign(state.reads.begin(), state.reads.end());
    return {state.pairing_reads.data(),
            state.candidates.data(),
            static_cast<uint32_t>(state.candidates.size()),
            state.parts.data(),
            static_cast<uint32_t>(state.parts.size()),
            batch.names.data(),
            batch.name_offset.data()};
}

/// Parts of the read that its alignments so far do not cover, best score first. `best`: the primary's index.
void PairTaker::add_supplementaries(const CandidateParts& parts, uint32_t read, uint32_t best, size_t begin) {
    const ReadState& own = state_.reads[read];
    for (uint32_t i = 0; i < parts.competing.size(); ++i) {
        const Candidate& candidate = parts.competing[i];
        if (i == best || candidate.score < parameters_.minimum_score_of(own.length)) continue;
        if (state_.chosen.size() - begin > k_max_supplementaries) break;
        bool covered = false;
        for (size_t j = begin; j < state_.chosen.size(); ++j) {
            covered |= overlaps(candidate, own.length, state_.candidates[state_.chosen[j].candidate]);
        }
        if (covered) continue;
        Chosen part;
        part.candidate = parts.begin + i;
        part.supplementary = true;
        part.sub_score =
            std::max(best_other(parts.competing, i, own), PartSearch(omitted_).best_rival(read, candidate));
        part.mapping_quality =
            kernels::mapping_quality_alone(candidate.score, part.sub_score, parameters_.scoring);
        state_.chosen.push_back(part);
    }
}

void PairTaker::add(uint32_t template_index, uint32_t read, const PlacedRead& placed) {
    ChosenRange& range = state_.ranges[read];
    range.begin = static_cast<uint32_t>(state_.chosen.size());
    range.end = range.begin;
    range.proper = placed.proper;
    if (placed.candidate == kernels::k_no_candidate) return;
    Chosen primary;
    primary.candidate = placed.candidate;
    primary.sub_score = placed.sub_score;
    primary.mapping_quality = placed.mapping_quality;
    state_.chosen.push_back(primary);
    if (placed.more_parts) {
        const CandidateParts parts = candidate_parts(state_, state_.reads[read], parameters_);
        add_supplementaries(parts, read, placed.candidate - parts.begin, range.begin);
        add_alternate_hits(parts, state_.reads[read], range.begin, parameters_, state_.op_inputs.pairs,
                           template_index, state_);
    }
    range.end = static_cast<uint32_t>(state_.chosen.size());
    if (!placed.more_parts && !placed.other_hits && !placed.left_gapped && !placed.right_gapped) return;
    for (uint32_t i = range.begin; i < range.end; ++i) {
        Chosen& chosen = state_.chosen[i];
        extender_.add_traceback_jobs(read, state_.candidates[chosen.candidate], chosen);
    }
    if (!placed.more_parts && !placed.other_hits) return;
    const size_t first_hit = state_.other_hits.size();
    add_other_hits(state_.reads[read], range, parameters_.minimum_score_of(state_.reads[read].length),
                   state_);
    for (size_t i = first_hit; i < state_.other_hits.size(); ++i) {
        Traced& hit = state_.other_hits[i];
        extender_.add_traceback_jobs(read, state_.candidates[hit.candidate], hit);
    }
}

/// Where limits of seeding decide the mapping quality of a proper pair, the index is searched without them.
void PairTaker::search(uint32_t template_index) {
    const uint32_t first = 2 * template_index;
    PlacedRead* const placed = state_.placed.data() + first;
    const auto rivals = PairSearch(omitted_, model_)
                            .search(first, state_.candidates[placed[0].candidate], first + 1,
                                    state_.candidates[placed[1].candidate]);
    if (!rivals) return;
    const int32_t searched = k_searched_mismatches * parameters_.scoring.mismatch_loss() * k_score_unit;
    const auto limited = [searched](const Rivals& found) -> kernels::pairing_terms::SearchedRead {
        return {std::min(found.margin, searched), found.near_equal};
    };
    const AlignmentWork::State::OpInputs& inputs = state_.op_inputs;
    const auto known = kernels::pairing_terms::placed_after_search(
        inputs.pairing, omitted_.ungapped().genome(), inputs.reads, inputs.pairs, template_index,
        limited(rivals->first), limited(rivals->second));
    std::copy(known.begin(), known.end(), placed);
}

void PairTaker::take(uint32_t template_index) {
    const AlignmentWork::State::OpInputs& inputs = state_.op_inputs;
    if (!inputs.reads.paired) return add(template_index, template_index, state_.placed[template_index]);
    const uint32_t first = 2 * template_index;
    if (state_.placed[first].needs_search) search(template_index);
    add(template_index, first, state_.placed[first]);
    add(template_index, first + 1, state_.placed[first + 1]);
}

}  // namespace gannet::align
