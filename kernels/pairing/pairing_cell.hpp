// SPDX-License-Identifier: MIT
// Provides the choice of a template's alignments, written once for host and device.
//
// The totals of candidates (step 4 of the contract) are kept by whoever calls: a Totals gives a reference to
// that of candidate `index` of read `side`, at(side, index), for as many as are within reach.
#pragma once

#include "kernels/genome/packed_words.hpp"
#include "kernels/pairing/pairing.hpp"

#include <algorithm>
#include <cstdint>

namespace gannet::kernels::pairing {

inline constexpr int32_t k_never = INT32_MIN / 2;
/// Number of near-equal candidates where it is not known.
inline constexpr uint32_t k_uncounted = UINT32_MAX;

/// What is given of a batch. `read_of`: the number in `reads` of a read of the batch; null: its own.
struct Given {
    PairingParameters parameters;
    GenomeView genome;
    ReadBatchView reads;
    PairingBatch batch;
    const uint32_t* read_of = nullptr;

    constexpr const uint64_t* words(uint32_t read, uint32_t strand) const {
        return reads.words(read_of != nullptr ? read_of[read] : read, strand);
    }
    /// In the unit of totals.
    constexpr int32_t mismatch() const { return parameters.scoring.mismatch_loss() * k_score_unit; }
    constexpr int32_t unpaired() const { return parameters.unpaired_penalty * k_score_unit; }
};

/// Step 2. The label is hashed when the salt is first needed, which few templates do. Not thread-safe.
class TieBreak {
  public:
    constexpr TieBreak(const char* label, uint32_t length) : label_(label), length_(length) {}

    constexpr bool prefers(const Candidate& a, const Candidate& b) const {
        return hash(a, salt()) > hash(b, salt());
    }
    /// Does it prefer the pair of `a` and `b` to that of `other_a` and `other_b`?
    constexpr bool prefers(const Candidate& a, const Candidate& b, const Candidate& other_a,
                           const Candidate& other_b) const {
        return pair_hash(a, b) > pair_hash(other_a, other_b);
    }
    constexpr uint64_t pair_hash(const Candidate& a, const Candidate& b) const {
        return hash(a, hash(b, salt()));
    }

  private:
    static constexpr uint64_t hash(const Candidate& candidate, uint64_t salt) {
        return mix64(salt ^ mix64(static_cast<uint64_t>(2 * candidate.diagonal + candidate.strand)));
    }
    constexpr uint64_t salt() const {
        if (!is_known_) {
            for (uint32_t i = 0; i < length_; ++i) salt_ = mix64(salt_ ^ static_cast<uint8_t>(label_[i]));
            is_known_ = true;
        }
        return salt_;
    }

    const char* label_;
    uint32_t length_;
    mutable uint64_t salt_ = 0x9e3779b97f4a7c15;
    mutable bool is_known_ = false;
};

constexpr TieBreak tie_break(const PairingBatch& batch, uint32_t template_index) {
    const uint32_t begin = batch.label_begin[template_index];
    return {batch.labels + begin, batch.label_begin[template_index + 1] - begin};
}

/// Bases of the read as it was sequenced.
struct ReadRange {
    uint32_t begin;
    uint32_t end;
};
constexpr ReadRange aligned_range(const Candidate& candidate, uint32_t read_length) {
    if (candidate.strand == 0) return {candidate.query_begin, candidate.query_end};
    return {read_length - candidate.query_end, read_length - candidate.query_begin};
}

/// Do the two candidates align more than half of the same bases of the read, relative to the shorter one?
constexpr bool overlaps(const Candidate& a, uint32_t read_length, const Candidate& b) {
    const ReadRange of_a = aligned_range(a, read_length);
    const ReadRange of_b = aligned_range(b, read_length);
    const uint32_t begin = std::max(of_a.begin, of_b.begin);
    const uint32_t end = std::min(of_a.end, of_b.end);
    return begin < end && 2 * (end - begin) > std::min(of_a.end - of_a.begin, of_b.end - of_b.begin);
}

/// Distance between the outer ends (unclipped 5' ends) of a forward-reverse pair; 0 when the strands do not
/// point at each other, or the two lie on different contigs or more than k_max_insert_bp apart.
constexpr int32_t insert_size(const Candidate& a, uint32_t length_a, const Candidate& b, uint32_t length_b) {
    if (a.strand == b.strand || a.contig != b.contig) return 0;
    const Candidate& forward = a.strand == 0 ? a : b;
    const Candidate& reverse = a.strand == 0 ? b : a;
    const uint32_t reverse_length = a.strand == 0 ? length_b : length_a;
    const int64_t begin = forward.target_begin - forward.query_begin;
    const int64_t end = reverse.target_end + (reverse_length - reverse.query_end);
    const int64_t insert = end - begin;
    return insert > 0 && insert <= k_max_insert_bp ? static_cast<int32_t>(insert) : 0;
}

/// What an insert of this size costs where a match scores `match`. `tail`: k_tail_penalty, wherever that
/// lies.
constexpr int32_t insert_penalty(int32_t insert_bp, int32_t mean_bp, int32_t sd_bp, int32_t match,
                                 const TailPenalty& tail) {
    const int64_t distance = int64_t{insert_bp} - mean_bp;
    const int64_t quarters = 4 * (distance < 0 ? -distance : distance) / std::max(1, sd_bp);
    return match * tail[static_cast<uint32_t>(std::min<int64_t>(quarters, tail.size() - 1))];
}

/// The number of the sorted candidates that are on the primary assembly: they come first.
constexpr uint32_t primary_candidates(const Candidate* sorted, uint32_t count) {
    while (count > 0 && sorted[count - 1].alternate) --count;
    return count;
}

/// Step 1, whatever the scores: those that compete, and behind them `aside` others.
struct Competing {
    uint32_t begin = 0;  ///< in the candidates of the batch
    uint32_t count = 0;
    uint32_t aside = 0;
};
constexpr Competing competing(const PairingRead& read, const Candidate* candidates, int32_t minimum_score) {
    const Candidate* const own = candidates + read.candidate_begin;
    const uint32_t count = read.candidate_end - read.candidate_begin;
    const uint32_t primary = primary_candidates(own, count);
    const bool on_primary = primary > 0 && own[0].score >= minimum_score;
    const bool on_alternate = primary < count && own[primary].score >= minimum_score;
    if (on_primary || (primary > 0 && !on_alternate)) return {read.candidate_begin, primary, count - primary};
    return {read.candidate_begin + primary, count - primary, 0};
}

/// What a read is aligned to is chosen from. Without initialisers, as it may lie in a warp's memory; here and
/// below.
struct ReadChoice {
    const Candidate* all;  ///< those that compete; none where the read has no place
    uint32_t count;
    uint32_t begin;  ///< of them in the candidates of the batch
    uint32_t aside;
    uint32_t within_reach;
    uint32_t best;
    uint32_t length;  ///< of the read

    constexpr bool any() const { return count != 0; }
    constexpr const Candidate& chosen() const { return all[best]; }
};

constexpr ReadChoice choice_of(const PairingParameters& parameters, const PairingBatch& batch,
                               uint32_t read) {
    ReadChoice choice{};
    const PairingRead& own = batch.reads[read];
    const int32_t least = parameters.minimum_score_of(own.length);
    const Competing those = competing(own, batch.candidates, least);
    const Candidate* const all = batch.candidates + those.begin;
    choice.length = own.length;
    choice.begin = those.begin;
    if (those.count == 0 || all[0].score < least) return choice;
    choice.all = all;
    choice.count = those.count;
    choice.aside = those.aside;
    // What scores below the best by more than an unpaired template costs is never chosen.
    const int32_t reach = all[0].score - parameters.unpaired_penalty;
    const uint32_t most = those.count < k_max_candidates ? those.count : k_max_candidates;
    while (choice.within_reach < most && all[choice.within_reach].score >= reach) ++choice.within_reach;
    return choice;
}

/// Step 3: sets the totals to the weighed scores, and chooses the best.
template <class Totals>
constexpr void choose_alone(ReadChoice& choice, uint32_t side, const Totals& totals, const TieBreak& ties) {
    int32_t best = 0;
    for (uint32_t i = 0; i < choice.within_reach; ++i) {
        const int32_t total = choice.all[i].weighed();
        totals.at(side, i) = total;
        if (i == 0 || total > best || (total == best && ties.prefers(choice.all[i], choice.chosen()))) {
            best = total;
            choice.best = i;
        }
    }
}

/// Of two candidates that are a proper pair, else k_never.
constexpr int32_t pair_total(const PairingParameters& parameters, const Candidate& a, uint32_t length_a,
                             const Candidate& b, uint32_t length_b) {
    const int32_t insert = insert_size(a, length_a, b, length_b);
    if (insert == 0 || insert < parameters.low_bp || insert > parameters.high_bp) return k_never;
    return a.weighed() + b.weighed() -
           insert_penalty(insert, parameters.mean_bp, parameters.sd_bp, parameters.scoring.match,
                          parameters.tail_penalty);
}

/// The best pair so far: of the two that are best by themselves, or a proper one.
struct BestPair {
    int32_t total;
    bool proper;
    uint32_t a;
    uint32_t b;
};

/// Of proper pairs that come in the order of step 4.
constexpr void consider(BestPair& best, int32_t total, uint32_t i, uint32_t j, const Candidate* of_a,
                        const Candidate* of_b, const TieBreak& ties) {
    if (total < best.total) return;
    if (total == best.total && best.proper && !ties.prefers(of_a[i], of_b[j], of_a[best.a], of_b[best.b]))
        return;
    best = {total, true, i, j};
}

/// Step 4 after choose_alone() of both; true if a proper pair is chosen.
template <class Totals>
constexpr bool choose_pair(const PairingParameters& parameters, ReadChoice& a, ReadChoice& b,
                           const Totals& totals, const TieBreak& ties) {
    const int32_t unpaired = parameters.unpaired_penalty * k_score_unit;
    const int32_t best_a = a.chosen().weighed();
    const int32_t best_b = b.chosen().weighed();
    for (uint32_t i = 0; i < a.within_reach; ++i) totals.at(0, i) += best_b - unpaired;
    for (uint32_t j = 0; j < b.within_reach; ++j) totals.at(1, j) += best_a - unpaired;
    BestPair best{best_a + best_b - unpaired, false, a.best, b.best};
    for (uint32_t i = 0; i < a.within_reach; ++i) {
        for (uint32_t j = 0; j < b.within_reach; ++j) {
            const int32_t total = pair_total(parameters, a.all[i], a.length, b.all[j], b.length);
            if (total == k_never) continue;
            totals.at(0, i) = std::max(totals.at(0, i), total);
            totals.at(1, j) = std::max(totals.at(1, j), total);
            consider(best, total, i, j, a.all, b.all, ties);
        }
    }
    a.best = best.a;
    b.best = best.b;
    return best.proper;
}

/// What the read's chosen candidate lacks to a perfect match.
constexpr int32_t loss_of(const ReadChoice& choice, const BandedSwScoring& scoring) {
    if (!choice.any()) return 0;
    const Candidate& chosen = choice.chosen();
    const int32_t match = scoring.match * k_score_unit;
    // Of a clipped end, at most a mismatch counts: it is mostly an adapter or the other side of an indel that
    // is longer than the band, which says little of whether the rest is at its origin.
    const int32_t most = scoring.mismatch_loss() * k_score_unit;
    const auto perfect = [match](uint32_t bases) { return static_cast<int32_t>(bases) * match; };
    const int32_t clipped = std::min(perfect(chosen.query_begin), most) +
                            std::min(perfect(choice.length - chosen.query_end), most);
    return std::max(0, perfect(chosen.query_end - chosen.query_begin) - chosen.weighed()) + clipped;
}

/// Steps 5 and 9, of a read with a place.
struct KnownEvidence {
    int32_t margin = 0;
    int32_t own_margin = 0;
    uint32_t near_equal = 0;
    int32_t sub_score = 0;
    bool more_parts = false;
    bool other_hits = false;
};

template <class Totals>
constexpr KnownEvidence known_evidence(const Given& given, const ReadChoice& choice, uint32_t side,
                                       const PairingRead& read, const Totals& totals) {
    KnownEvidence known;
    known.sub_score = read.left_out.pruned_score;
    known.more_parts = choice.aside != 0;
    const Candidate& chosen = choice.chosen();
    const int32_t mismatch = given.mismatch();
    const int32_t least = given.parameters.minimum_score_of(choice.length);
    int32_t other = k_never;
    if (choice.count > 1) {
        const int32_t best = totals.at(side, choice.best);
        uint32_t listed = 0;
        bool first = true;
        for (uint32_t i = 0; i < choice.count; ++i) {
            if (i == choice.best) continue;
            const Candidate& candidate = choice.all[i];
            const bool scores_enough = candidate.score >= least;
            if (!overlaps(candidate, choice.length, chosen)) {
                known.more_parts |= scores_enough;
                continue;
            }
            if (first) known.sub_score = std::max(known.sub_score, candidate.score);
            first = false;
            if (i < choice.within_reach) {
                const int32_t total = totals.at(side, i);
                other = std::max(other, total);
                known.near_equal += total >= best - mismatch;
            }
            listed += scores_enough && is_listed_beside(candidate.score, chosen.score);
        }
        known.margin = best - other;
        const uint32_t most = chosen.alternate ? k_max_other_hits_with_alternates : k_max_other_hits;
        known.other_hits = listed > 0 && listed <= most;
    }
    // Without a rival the margin is the read's own over what scores less.
    known.own_margin = (chosen.score - known.sub_score) * k_score_unit;
    if (other == k_never)
        known.margin = known.own_margin < 0 ? mismatch / k_usual_mismatch_loss : known.own_margin;
    return known;
}

/// Are the read's bases [begin, end) those of the genome on a diagonal?
constexpr bool same_bases(const GenomeView& genome, const uint64_t* words, int64_t diagonal, uint32_t begin,
                          uint32_t end) {
    for (uint32_t base = begin; base < end; base += 32) {
        const int64_t at = diagonal + base;
        // word_at() reads one word ahead.
        if (at < 0 || at + 64 > static_cast<int64_t>(genome.genome_size())) return false;
        uint64_t bits =
            mismatch_bits(word_at(words, base), word_at(genome.packed, static_cast<uint64_t>(at)));
        if (end - base < 32) bits &= (uint64_t{1} << 2 * (end - base)) - 1;
        if (bits != 0) return false;
    }
    return true;
}

/// Does a candidate match its read in this part? `words`: of the read on the candidate's strand.
constexpr bool matches(const GenomeView& genome, const uint64_t* words, uint32_t read_length,
                       const Candidate& candidate, DistinctPart part) {
    const uint32_t begin = candidate.strand != 0 ? read_length - part.end : part.begin;
    const uint32_t end = begin + part.end - part.begin;
    if (begin < candidate.query_begin || end > candidate.query_end) return false;
    // Beyond a gap the alignment runs on the diagonal of its end.
    const int64_t left = candidate.target_begin - candidate.query_begin;
    const int64_t right = candidate.target_end - candidate.query_end;
    return same_bases(genome, words, candidate.diagonal, begin, end) ||
           (candidate.left_gapped && same_bases(genome, words, left, begin, end)) ||
           (candidate.right_gapped && same_bases(genome, words, right, begin, end));
}

/// Does step 6 look at the parts of a read?
constexpr bool needs_parts(const PairingRead& read) { return read.narrowed || read.left_out.dropped_bp != 0; }

/// Step 6: margin of a read's chosen candidate over every placement of the read that a limit left out, at
/// least.
constexpr int32_t left_out_margin(const Given& given, uint32_t read_index, const Candidate& chosen) {
    const PairingRead& read = given.batch.reads[read_index];
    int32_t margin = k_nothing_left_out;
    if (read.left_out.dropped_score >= 0)
        margin = (chosen.score - read.left_out.dropped_score) * k_score_unit;
    if (!needs_parts(read)) return margin;
    int32_t disjoint = 0;
    if (read.part_begin != read.part_end) {
        const uint64_t* const words = given.words(read_index, chosen.strand);
        uint32_t to = 0;
        for (uint32_t i = read.part_begin; i < read.part_end; ++i) {
            const DistinctPart part = given.batch.parts[i];
            if (part.begin < to || !matches(given.genome, words, read.length, chosen, part)) continue;
            ++disjoint;
            to = part.end;
        }
    }
    const auto hit = static_cast<int32_t>(read.left_out.dropped_bp / given.parameters.kmer);
    return std::min(margin,
                    std::max(0, disjoint - hit) * given.parameters.scoring.least_loss() * k_score_unit);
}

/// What limits left out of the look-ups of a read, and of its template.
struct LeftOut {
    int32_t own_margin = k_nothing_left_out;  ///< of the read's score, at least
    int32_t margin = k_nothing_left_out;      ///< of the template's total with this read elsewhere, at least
    uint32_t near_equal = 0;                  ///< positions within a mismatch; k_uncounted if it is not known
};

constexpr LeftOut left_out_of(const Given& given, const ReadChoice& choice, uint32_t read) {
    LeftOut out;
    if (!choice.any()) return out;
    out.own_margin = out.margin = left_out_margin(given, read, choice.chosen());
    if (out.margin <= given.mismatch()) out.near_equal = k_uncounted;
    return out;
}

/// Margin of the template over one with the read at a position that was left out, at least: what the read
/// loses there, and what its mate does. The mate is in its best position, unpaired; or beside the read, which
/// is then left out as well, or is a candidate beside which the read was not searched (op rescue).
constexpr void limit_by_mate(const Given& given, LeftOut& own, int32_t mate_own_margin,
                             const ReadChoice& mate, bool proper) {
    if (own.own_margin != k_nothing_left_out && mate.any()) {
        int32_t beside = std::min(mate_own_margin, given.unpaired());
        if (mate.count > k_max_rescues)
            beside = std::min(beside, mate.chosen().weighed() - mate.all[k_max_rescues].weighed());
        own.margin = own.own_margin + (proper ? std::max(beside, 0) : beside - given.unpaired());
    } else {
        own.margin = own.own_margin;
    }
    own.near_equal = own.margin <= given.mismatch() ? k_uncounted : 0;
}

/// Step 8.
constexpr uint8_t quality_of(const Given& given, const ReadChoice& choice, const KnownEvidence& known,
                             const LeftOut& left_out, int32_t loss, bool proper) {
    MappingEvidence evidence;
    evidence.margin = std::min(known.margin, left_out.margin);
    evidence.own_margin = std::min(known.own_margin, left_out.own_margin);
    evidence.near_equal = std::max(known.near_equal, left_out.near_equal);
    evidence.loss = loss;
    evidence.aligned_score = choice.chosen().score;
    evidence.proper_pair = proper;
    return mapping_quality(evidence, given.parameters.scoring, given.parameters.crowd_penalty,
                           given.parameters.difference_discount);
}

/// A read of a template, once it is chosen. `loss`: of the template where it is a proper pair, else its own.
struct ChosenRead {
    ReadChoice choice{};
    KnownEvidence known;  ///< only of a read with a place
    LeftOut left_out;
    int32_t loss = 0;
};

constexpr PlacedRead placed(const Given& given, const ChosenRead& read, bool proper, bool needs_search) {
    PlacedRead out;
    if (!read.choice.any()) return out;
    const Candidate& chosen = read.choice.chosen();
    out.candidate = read.choice.begin + read.choice.best;
    out.sub_score = read.known.sub_score;
    out.mapping_quality = quality_of(given, read.choice, read.known, read.left_out, read.loss, proper);
    out.proper = proper;
    out.needs_search = needs_search;
    out.more_parts = read.known.more_parts;
    out.other_hits = read.known.other_hits;
    out.left_gapped = chosen.left_gapped;
    out.right_gapped = chosen.right_gapped;
    return out;
}

/// Steps 5 and 6 of a read by itself.
template <class Totals>
constexpr ChosenRead chosen_read(const Given& given, const ReadChoice& choice, uint32_t side, uint32_t read,
                                 const Totals& totals) {
    ChosenRead out;
    out.choice = choice;
    if (choice.any()) out.known = known_evidence(given, choice, side, given.batch.reads[read], totals);
    out.left_out = left_out_of(given, choice, read);
    out.loss = loss_of(choice, given.parameters.scoring);
    return out;
}

/// Two reads that are chosen, with what each takes from the other.
struct ChosenPair {
    ChosenRead a;
    ChosenRead b;
    bool proper = false;
    bool needs_search = false;
};

template <class Totals>
constexpr ChosenPair chosen_pair(const Given& given, const ReadChoice& a, const ReadChoice& b, bool proper,
                                 uint32_t first, const Totals& totals) {
    ChosenPair pair{chosen_read(given, a, 0, first, totals), chosen_read(given, b, 1, first + 1, totals),
                    proper, false};
    limit_by_mate(given, pair.a.left_out, pair.b.left_out.own_margin, b, proper);
    limit_by_mate(given, pair.b.left_out, pair.a.left_out.own_margin, a, proper);
    if (proper) {
        pair.a.loss = pair.b.loss = pair.a.loss + pair.b.loss;
        pair.needs_search = (pair.a.left_out.near_equal != 0 || pair.b.left_out.near_equal != 0) &&
                            (pair.a.known.margin > 0 || pair.b.known.margin > 0);
    }
    return pair;
}

/// Steps 1 to 6 of a template of two reads.
template <class Totals>
constexpr ChosenPair choose_template(const Given& given, uint32_t template_index, const Totals& totals) {
    const TieBreak ties = tie_break(given.batch, template_index);
    const uint32_t first = 2 * template_index;
    ReadChoice a = choice_of(given.parameters, given.batch, first);
    ReadChoice b = choice_of(given.parameters, given.batch, first + 1);
    choose_alone(a, 0, totals, ties);
    choose_alone(b, 1, totals, ties);
    const bool proper = a.any() && b.any() && choose_pair(given.parameters, a, b, totals, ties);
    return chosen_pair(given, a, b, proper, first, totals);
}

/// Steps 1 to 6 of a read without a mate.
template <class Totals>
constexpr ChosenRead choose_single(const Given& given, uint32_t read, const Totals& totals) {
    ReadChoice choice = choice_of(given.parameters, given.batch, read);
    choose_alone(choice, 0, totals, tie_break(given.batch, read));
    return chosen_read(given, choice, 0, read, totals);
}

}  // namespace gannet::kernels::pairing
