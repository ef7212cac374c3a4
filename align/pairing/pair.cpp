// SPDX-License-Identifier: MIT
// Provides the choice among pairs of candidates, and of what else of a read is reported.
#include "align/pairing/pair.hpp"

#include "align/alternate.hpp"
#include "align/mapq.hpp"
#include "align/pairing/alternate_hits.hpp"
#include "align/pairing/insert_size.hpp"
#include "align/pairing/insert_size_model.hpp"
#include "align/pairing/pair_search.hpp"
#include "align/pairing/rescue.hpp"
#include "align/pairing/tie_break.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace gannet::align {
namespace {

constexpr int32_t k_never = std::numeric_limits<int32_t>::min() / 2;
/// Of a read, beside its primary alignment. Heuristic.
constexpr uint32_t k_max_supplementaries = 4;
/// Number of near-equal candidates where it is not known.
constexpr uint32_t k_uncounted = std::numeric_limits<uint32_t>::max();

/// What a mismatch loses, in 1 / k_score_unit. Candidates whose total is within it of the best one are
/// near-equal.
int32_t mismatch_of(const AlignerParameters& parameters) {
    return parameters.scoring.mismatch_loss() * k_score_unit;
}

/// A read's candidates, and the best total of a template with each.
struct ReadChoice {
    CandidateParts parts;
    std::span<const Candidate> all;  ///< the competing ones, best score first
    uint32_t count = 0;              ///< of the first of them, which are within reach of the best
    std::array<int32_t, k_max_candidates> total{};
    uint32_t best = 0;

    ReadChoice(const AlignmentWork::State& state, uint32_t read, const AlignerParameters& parameters) {
        parts = candidate_parts(state, state.reads[read], parameters.minimum_score);
        all = parts.competing;
        if (all.empty() || all.front().score < parameters.minimum_score) {
            all = {};
            return;
        }
        // What scores below the best by more than an unpaired template costs is never chosen.
        const int32_t reach = all.front().score - parameters.unpaired_penalty;
        while (count < std::min(all.size(), total.size()) && all[count].score >= reach) ++count;
    }
};

/// The best candidate of one read by itself.
void choose_single(ReadChoice& choice, const TieBreak& ties) {
    for (uint32_t i = 0; i < choice.count; ++i) {
        choice.total[i] = choice.all[i].weighed();
        if (i > 0 && (choice.total[i] > choice.total[choice.best] ||
                      (choice.total[i] == choice.total[choice.best] &&
                       ties.prefers(choice.all[i], choice.all[choice.best])))) {
            choice.best = i;
        }
    }
}

/// The best pair of candidates, proper or not; true if it is a proper one.
bool choose_pair(ReadChoice& a, ReadChoice& b, uint32_t length_a, uint32_t length_b,
                 const InsertSizeModel& model, const AlignerParameters& parameters, const TieBreak& ties) {
    const int32_t unpaired = parameters.unpaired_penalty * k_score_unit;
    choose_single(a, ties);
    choose_single(b, ties);
    const int32_t best_a = a.total[a.best];
    const int32_t best_b = b.total[b.best];
    for (uint32_t i = 0; i < a.count; ++i) a.total[i] += best_b - unpaired;
    for (uint32_t j = 0; j < b.count; ++j) b.total[j] += best_a - unpaired;
    int32_t best = best_a + best_b - unpaired;
    const int32_t match = parameters.scoring.match;
    bool proper = false;
    for (uint32_t i = 0; i < a.count; ++i) {
        for (uint32_t j = 0; j < b.count; ++j) {
            const int32_t insert = insert_size(a.all[i], length_a, b.all[j], length_b);
            if (insert == 0 || insert < model.low_bp || insert > model.high_bp) continue;
            const int32_t total =
                a.all[i].weighed() + b.all[j].weighed() - insert_penalty(model, insert, match);
            a.total[i] = std::max(a.total[i], total);
            b.total[j] = std::max(b.total[j], total);
            if (total > best || (total == best && (!proper || ties.prefers(a.all[i], b.all[j], a.all[a.best],
                                                                           b.all[b.best])))) {
                best = total;
                proper = true;
                a.best = i;
                b.best = j;
            }
        }
    }
    return proper;
}

/// Best score of another candidate that overlaps `chosen` in the read, or of a diagonal that was too bad to
/// be one; 0 if none.
int32_t best_other(std::span<const Candidate> all, uint32_t chosen, const ReadState& read) {
    for (uint32_t i = 0; i < all.size(); ++i) {
        if (i != chosen && overlaps(all[i], read.length, all[chosen]))
            return std::max(all[i].score, read.left_out.hopeless_score);
    }
    return read.left_out.hopeless_score;
}

/// What the read's best candidate lacks to a perfect match, in 1 / k_score_unit.
int32_t loss_of(const ReadChoice& choice, uint32_t length, const AlignerParameters& parameters) {
    if (choice.all.empty()) return 0;
    const Candidate& chosen = choice.all[choice.best];
    const auto perfect = [&](uint32_t bases) {
        return static_cast<int32_t>(bases) * parameters.scoring.match * k_score_unit;
    };
    // Of a clipped end, at most a mismatch counts: it is mostly an adapter or the other side of an indel that
    // is longer than the band, which says little of whether the rest is at its origin.
    const int32_t most = mismatch_of(parameters);
    const int32_t clipped =
        std::min(perfect(chosen.query_begin), most) + std::min(perfect(length - chosen.query_end), most);
    return std::max(0, perfect(chosen.query_end - chosen.query_begin) - chosen.weighed()) + clipped;
}

/// What limits left out of the look-ups of a read, and of its template.
struct Omitted {
    int32_t own_margin = k_nothing_omitted;  ///< of the read's score, at least
    int32_t margin = k_nothing_omitted;      ///< of the template's total with this read elsewhere, at least
    uint32_t near_equal = 0;                 ///< positions within a mismatch; k_uncounted if it is not known
};

/// By the known candidates: the margins, and how many are near-equal.
MappingEvidence known_evidence(const ReadChoice& choice, const ReadState& read,
                               const AlignerParameters& parameters) {
    MappingEvidence evidence;
    const Candidate& chosen = choice.all[choice.best];
    const int32_t best = choice.total[choice.best];
    const int32_t mismatch = mismatch_of(parameters);
    int32_t other = k_never;
    for (uint32_t i = 0; i < choice.count; ++i) {
        if (i == choice.best || !overlaps(choice.all[i], read.length, chosen)) continue;
        other = std::max(other, choice.total[i]);
        if (choice.total[i] >= best - mismatch) ++evidence.near_equal;
    }
    // Without another candidate within reach, the margin is the read's own over what scores less.
    const int32_t own_other = best_other(choice.all, choice.best, read);
    evidence.own_margin = (chosen.score - own_other) * k_score_unit;
    evidence.margin = other == k_never ? std::max(evidence.own_margin, 0) : best - other;
    if (other == k_never && evidence.own_margin < 0)
        evidence.margin = mismatch / kernels::k_usual_mismatch_loss;
    return evidence;
}

MappingEvidence evidence_of(const ReadChoice& choice, const ReadState& read, int32_t loss, bool proper,
                            const Omitted& omitted, const AlignerParameters& parameters) {
    MappingEvidence evidence = known_evidence(choice, read, parameters);
    evidence.margin = std::min(evidence.margin, omitted.margin);
    evidence.own_margin = std::min(evidence.own_margin, omitted.own_margin);
    evidence.near_equal = std::max(evidence.near_equal, omitted.near_equal);
    evidence.loss = loss;
    evidence.aligned_score = choice.all[choice.best].score;
    evidence.proper_pair = proper;
    return evidence;
}

/// Parts of the read that its alignments so far do not cover, best score first.
void add_supplementaries(const ReadChoice& choice, const ReadState& read, uint32_t begin,
                         const AlignerParameters& parameters, AlignmentWork::State& state) {
    for (uint32_t i = 0; i < choice.all.size(); ++i) {
        const Candidate& candidate = choice.all[i];
        if (i == choice.best || candidate.score < parameters.minimum_score) continue;
        if (state.chosen.size() - begin > k_max_supplementaries) break;
        bool covered = false;
        for (size_t j = begin; j < state.chosen.size(); ++j) {
            covered |= overlaps(candidate, read.length, state.candidates[state.chosen[j].candidate]);
        }
        if (covered) continue;
        Chosen part;
        part.candidate = choice.parts.begin + i;
        part.supplementary = true;
        part.sub_score = best_other(choice.all, i, read);
        MappingEvidence evidence;
        evidence.margin = evidence.own_margin = (candidate.score - part.sub_score) * k_score_unit;
        evidence.aligned_score = candidate.score;
        part.mapping_quality = mapping_quality(evidence, parameters.scoring);
        state.chosen.push_back(part);
    }
}

/// `loss`: of the template where it is a proper pair, else of the read.
void add_chosen(const ReadChoice& choice, uint32_t read_index, int32_t loss, bool proper,
                const TieBreak& ties, const Omitted& omitted, const AlignerParameters& parameters,
                AlignmentWork::State& state) {
    const ReadState& read = state.reads[read_index];
    ChosenRange range;
    range.begin = static_cast<uint32_t>(state.chosen.size());
    range.proper = proper;
    if (!choice.all.empty()) {
        Chosen primary;
        primary.candidate = choice.parts.begin + choice.best;
        primary.sub_score = best_other(choice.all, choice.best, read);
        primary.mapping_quality =
            mapping_quality(evidence_of(choice, read, loss, proper, omitted, parameters), parameters.scoring);
        state.chosen.push_back(primary);
        add_supplementaries(choice, read, range.begin, parameters, state);
        add_alternate_hits(choice.parts, read, range.begin, parameters, ties, state);
    }
    range.end = static_cast<uint32_t>(state.chosen.size());
    state.ranges[read_index] = range;
}

/// What was left out of a read by itself.
Omitted omitted_of(const OmittedPositions* positions, const ReadChoice& choice, const ReadState& read,
                   const AlignerParameters& parameters) {
    Omitted out;
    if (positions == nullptr || choice.all.empty()) return out;
    out.own_margin = out.margin = positions->margin(read, choice.all[choice.best]);
    if (out.margin <= mismatch_of(parameters)) out.near_equal = k_uncounted;
    return out;
}

/// Margin of the template over one with the read at a position that was left out, at least: what the read
/// loses there, and what its mate does. The mate is in its best position, unpaired; or beside the read, which
/// is then left out as well, or is a candidate beside which the read was not searched (rescue_mates).
int32_t margin_of_template(const Omitted& own, const Omitted& mate, const ReadChoice& mate_choice,
                           bool proper, const AlignerParameters& parameters) {
    if (own.own_margin == k_nothing_omitted || mate_choice.all.empty()) return own.own_margin;
    const int32_t unpaired = parameters.unpaired_penalty * k_score_unit;
    int32_t beside = std::min(mate.own_margin, unpaired);
    if (mate_choice.all.size() > k_max_rescues) {
        beside = std::min(
            beside, mate_choice.all[mate_choice.best].weighed() - mate_choice.all[k_max_rescues].weighed());
    }
    return own.own_margin + (proper ? std::max(beside, 0) : beside - unpaired);
}

/// Limits what is known of a pair by what was left out, and searches for it where a quality depends on it:
/// the qualities are 0 as they are where known candidates are as good as the chosen ones.
void limit_pair(const OmittedPositions* positions, const AlignerParameters& parameters,
                const InsertSizeModel& model, const std::array<const ReadChoice*, 2>& choices, uint32_t first,
                bool proper, const AlignmentWork::State& state, std::array<Omitted, 2>& omitted) {
    const std::array<Omitted, 2> own = omitted;
    for (size_t i = 0; i < 2; ++i) {
        omitted[i].margin = margin_of_template(own[i], own[1 - i], *choices[1 - i], proper, parameters);
        omitted[i].near_equal = omitted[i].margin <= mismatch_of(parameters) ? k_uncounted : 0;
    }
    if (!proper || (omitted[0].near_equal == 0 && omitted[1].near_equal == 0)) return;
    if (known_evidence(*choices[0], state.reads[first], parameters).margin <= 0 &&
        known_evidence(*choices[1], state.reads[first + 1], parameters).margin <= 0) {
        return;
    }
    const auto rivals =
        PairSearch(*positions, model)
            .search(first, choices[0]->all[choices[0]->best], first + 1, choices[1]->all[choices[1]->best]);
    if (!rivals) return;
    const int32_t searched = k_searched_mismatches * mismatch_of(parameters);
    for (size_t i = 0; i < 2; ++i) {
        const Rivals& found = i == 0 ? rivals->first : rivals->second;
        omitted[i].margin = std::max(omitted[i].margin, std::min(found.margin, searched));
        omitted[i].near_equal = found.near_equal;
    }
}

}  // namespace

void choose_template(const data::ReadBatch& batch, const AlignerParameters& parameters,
                     const InsertSizeModel& model, const OmittedPositions* omitted_positions,
                     size_t template_index, AlignmentWork::State& state) {
    const TieBreak ties(batch.name(template_index));
    if (!batch.paired) {
        const auto read = static_cast<uint32_t>(template_index);
        ReadChoice choice(state, read, parameters);
        choose_single(choice, ties);
        const ReadState& own = state.reads[read];
        add_chosen(choice, read, loss_of(choice, own.length, parameters), false, ties,
                   omitted_of(omitted_positions, choice, own, parameters), parameters, state);
        return;
    }
    const auto first = static_cast<uint32_t>(2 * template_index);
    ReadChoice a(state, first, parameters);
    ReadChoice b(state, first + 1, parameters);
    bool proper = false;
    if (a.count > 0 && b.count > 0) {
        proper = choose_pair(a, b, state.reads[first].length, state.reads[first + 1].length, model,
                             parameters, ties);
    } else {
        choose_single(a, ties);
        choose_single(b, ties);
    }
    const int32_t loss_a = loss_of(a, state.reads[first].length, parameters);
    const int32_t loss_b = loss_of(b, state.reads[first + 1].length, parameters);
    std::array<Omitted, 2> omitted{omitted_of(omitted_positions, a, state.reads[first], parameters),
                                   omitted_of(omitted_positions, b, state.reads[first + 1], parameters)};
    limit_pair(omitted_positions, parameters, model, {&a, &b}, first, proper, state, omitted);
    add_chosen(a, first, proper ? loss_a + loss_b : loss_a, proper, ties, omitted[0], parameters, state);
    add_chosen(b, first + 1, proper ? loss_a + loss_b : loss_b, proper, ties, omitted[1], parameters, state);
}

}  // namespace gannet::align
