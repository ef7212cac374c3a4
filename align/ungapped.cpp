// SPDX-License-Identifier: MIT
// Provides the ungapped comparison by XOR of 2-bit words, and the test whether a gap could do better.
#include "align/ungapped.hpp"

#include "align/packed.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace gannet::align {
namespace {

/// What a mismatch costs less (or more) than the scoring says, by base quality, in 1 / k_score_unit: with
/// p = 10^(-q/10), -10 log10(p / 3 + 0.001) Phred at 4.5 Phred a score unit, against the 5 units of a match
/// missed and a mismatch. A base that is likely wrong is weak evidence against a candidate; 0.001 allows for
/// variants.
constexpr std::array<int16_t, 64> k_quality_weight{
    63,  60,  56,  52,  49,  45,  42,  38,  35,  31,  28,  24,  21,  18,  14,  11,
    8,   5,   2,   -1,  -4,  -7,  -9,  -11, -14, -16, -17, -19, -20, -21, -22, -23,
    -24, -24, -25, -25, -25, -26, -26, -26, -26, -26, -26, -26, -26, -27, -27, -27,
    -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27};

/// Longest gap that is looked for on shifted diagonals; so many bases around the read have to be plain. No
/// gap of that length pays off where the loss is small enough for the search.
constexpr int64_t k_margin_bp = 64;

/// Losses of more mismatches than this go to banded_sw without a search: many diagonals could then win.
/// Heuristic.
constexpr int32_t k_max_searched_mismatches = 3;

}  // namespace

void orient(std::span<const data::Base> bases, uint8_t strand, std::vector<uint8_t>& out) {
    out.resize(bases.size());
    if (strand == 0) {
        std::copy(bases.begin(), bases.end(), out.begin());
    } else {
        data::reverse_complement(bases, out);
    }
}

void Ungapped::find_mismatches(const ReadState& read, const Candidate& candidate) const {
    const uint64_t* own = words(read, candidate.strand);
    const uint64_t* packed = reference_.packed().data();
    state_.mismatches.clear(read.length);
    for (uint32_t base = 0; base < read.length; base += 32) {
        const uint64_t other = word_at(packed, static_cast<uint64_t>(candidate.diagonal) + base);
        state_.mismatches.set_word(base / 32, mismatch_bits(own[base / 32], other), read.length - base);
    }
}

bool Ungapped::find_mismatches_slowly(const data::ReadBatch& batch, uint32_t read, const Candidate& candidate,
                                      Range& range) const {
    const auto length = static_cast<int64_t>(state_.reads[read].length);
    const data::Contig& contig = reference_.contigs()[candidate.contig];
    const auto first = static_cast<int64_t>(contig.offset);
    const auto last = first + static_cast<int64_t>(contig.length);
    const int64_t begin = std::max(candidate.diagonal, first);
    const int64_t end = std::min(candidate.diagonal + length, last);
    if (begin >= end) return false;
    range = {static_cast<uint32_t>(begin - candidate.diagonal),
             static_cast<uint32_t>(end - candidate.diagonal)};
    orient(batch.read_bases(read), candidate.strand, state_.query);
    state_.target.resize(static_cast<size_t>(end - begin));
    reference_.genome_bases(begin, state_.target);
    state_.mismatches.clear(static_cast<uint32_t>(length));
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const uint8_t own = state_.query[i];
        const uint8_t other = state_.target[i - range.begin];
        if (own > 3 || other > 3) {
            state_.mismatches.set_ambiguous(i);
        } else if (own == other) {
            state_.mismatches.set_match(i);
        }
    }
    return true;
}

// Both walks end early where not even the matches to come, and the bonus, can bring the score back to the
// best one: on most diagonals of a read in a repeat, soon.

Ungapped::Side Ungapped::walk_left(Range range, uint32_t anchor, uint32_t matches) const {
    const kernels::BandedSwScoring& scoring = parameters_.scoring;
    const Mismatches& mismatches = state_.mismatches;
    Side side;
    int32_t score = 0;
    for (uint32_t at = anchor; at > range.begin;) {
        const uint32_t mismatch = at - 1;
        at = mismatches.run_begin(mismatch);
        score += static_cast<int32_t>(mismatch - at) * scoring.match;
        score -= mismatches.ambiguous(mismatch) ? scoring.ambiguous : scoring.mismatch;
        if (score > side.score) side = {anchor - at, score, score};
        matches -= mismatch - at;
        const int32_t most = score + static_cast<int32_t>(matches) * scoring.match;
        if (most + scoring.end_bonus < side.score) return side;
    }
    if (range.begin == 0 && score + scoring.end_bonus >= side.score) {
        side = {anchor, score, score + scoring.end_bonus};
    }
    return side;
}

Ungapped::Side Ungapped::walk_right(Range range, uint32_t anchor, uint32_t matches,
                                    uint32_t read_length) const {
    const kernels::BandedSwScoring& scoring = parameters_.scoring;
    const Mismatches& mismatches = state_.mismatches;
    Side side;
    int32_t score = 0;
    for (uint32_t at = anchor; at < range.end;) {
        const uint32_t mismatch = at;
        at = mismatches.run_end(mismatch + 1);
        score += static_cast<int32_t>(at - mismatch - 1) * scoring.match;
        score -= mismatches.ambiguous(mismatch) ? scoring.ambiguous : scoring.mismatch;
        if (score > side.score) side = {at - anchor, score, score};
        matches -= at - mismatch - 1;
        const int32_t most = score + static_cast<int32_t>(matches) * scoring.match;
        if (most + scoring.end_bonus < side.score) return side;
    }
    if (range.end == read_length && score + scoring.end_bonus >= side.score) {
        side = {read_length - anchor, score, score + scoring.end_bonus};
    }
    return side;
}

/// How far from the read's far end a stretch with at most `allowed` mismatches reaches on a shifted diagonal:
/// the oriented position where it begins (right) or ends (left).
uint32_t Ungapped::far_reach(const ReadState& read, const Candidate& candidate, int64_t shift, bool right,
                             uint32_t allowed) const {
    const uint64_t* own = words(read, candidate.strand);
    const uint64_t* packed = reference_.packed().data();
    const auto diagonal = static_cast<uint64_t>(candidate.diagonal + shift);
    const uint32_t blocks = (read.length + 31) / 32;
    for (uint32_t i = 0; i < blocks; ++i) {
        const uint32_t base = 32 * (right ? blocks - 1 - i : i);
        uint64_t bits = mismatch_bits(own[base / 32], word_at(packed, diagonal + base));
        if (read.length - base < 32) bits &= (uint64_t{1} << 2 * (read.length - base)) - 1;
        for (; bits != 0; --allowed) {
            const auto bit =
                static_cast<uint32_t>(right ? 63 - std::countl_zero(bits) : std::countr_zero(bits));
            if (allowed == 0) return right ? base + bit / 2 + 1 : base + bit / 2;
            bits ^= uint64_t{1} << bit;
        }
    }
    return right ? 0 : read.length;
}

/// The n-th mismatch, from 0, of a side from its anchor on; none if the side has no more than n.
std::optional<uint32_t> Ungapped::nth_mismatch(Range range, uint32_t anchor, bool right, uint32_t n) const {
    for (uint32_t at = anchor; right ? at < range.end : at > range.begin;) {
        const uint32_t mismatch = right ? at : at - 1;
        if (n-- == 0) return mismatch;
        at = right ? state_.mismatches.run_end(mismatch + 1) : state_.mismatches.run_begin(mismatch);
    }
    return std::nullopt;
}

bool Ungapped::gap_may_win(const ReadState& read, const Candidate& candidate, Range range, bool right,
                           int32_t value, bool plain) const {
    const kernels::BandedSwScoring& scoring = parameters_.scoring;
    const uint32_t anchor = right ? candidate.anchor_end : candidate.anchor_begin;
    const uint32_t length = right ? range.end - anchor : anchor - range.begin;
    const int32_t loss = static_cast<int32_t>(length) * scoring.match + scoring.end_bonus - value;
    const int32_t mismatch_cost = scoring.match + scoring.mismatch;
    if (length == 0 || loss <= scoring.gap_open + scoring.gap_extend) return false;
    if (!plain || loss > k_max_searched_mismatches * mismatch_cost) return true;
    for (int32_t gap = 1;; ++gap) {
        const int32_t deletion_cost = scoring.gap_open + gap * scoring.gap_extend;
        if (deletion_cost >= loss || gap >= k_margin_bp) return false;
        for (const bool deletion : {true, false}) {
            const int32_t cost = deletion ? deletion_cost : deletion_cost + gap * scoring.match;
            if (cost >= loss) continue;
            const auto allowed = static_cast<uint32_t>((loss - cost - 1) / mismatch_cost);
            // The stretch next to the anchor may hold `allowed` mismatches on the candidate's own diagonal.
            const std::optional<uint32_t> near = nth_mismatch(range, anchor, right, allowed);
            if (!near) return true;
            const int64_t shift = right == deletion ? gap : -gap;
            const uint32_t far = far_reach(read, candidate, shift, right, allowed);
            // Inserted bases are between the two stretches and match nothing.
            const uint32_t inserted = deletion ? 0 : static_cast<uint32_t>(gap);
            if (right ? far <= *near + inserted : far + inserted > *near) return true;
        }
    }
}

/// Sums the quality weights of the mismatches within the alignment, for each side of the anchor.
void Ungapped::weigh(std::span<const uint8_t> qualities, Candidate& candidate) const {
    const auto weight = [&](uint32_t at) -> int32_t {
        if (state_.mismatches.ambiguous(at)) return 0;
        const size_t quality = qualities[candidate.strand ? qualities.size() - 1 - at : at];
        return k_quality_weight[std::min(quality, k_quality_weight.size() - 1)];
    };
    candidate.left_quality = candidate.right_quality = 0;
    for (uint32_t at = candidate.anchor_begin; at > candidate.query_begin;) {
        candidate.left_quality += weight(at - 1);
        at = state_.mismatches.run_begin(at - 1);
    }
    for (uint32_t at = candidate.anchor_end; at < candidate.query_end;) {
        candidate.right_quality += weight(at);
        at = state_.mismatches.run_end(at + 1);
    }
}

bool Ungapped::compare(const data::ReadBatch& batch, uint32_t read_index, Candidate& candidate,
                       int32_t floor) const {
    const ReadState& read = state_.reads[read_index];
    const int64_t middle = std::clamp<int64_t>(candidate.diagonal + read.length / 2, 0,
                                               static_cast<int64_t>(reference_.genome_size()) - 1);
    candidate.contig = reference_.contig_of(static_cast<uint64_t>(middle));
    candidate.alternate = tables_.alternates.contains(middle);
    Range range{0, read.length};
    const bool plain = !read.has_n && tables_.ambiguity.plain(candidate.diagonal - k_margin_bp,
                                                              candidate.diagonal + read.length + k_margin_bp);
    if (plain) {
        find_mismatches(read, candidate);
        const kernels::BandedSwScoring& scoring = parameters_.scoring;
        if (floor > 0 && !candidate.alternate &&
            state_.mismatches.highest_score(scoring.match, scoring.mismatch) <= floor) {
            return false;
        }
    } else if (!find_mismatches_slowly(batch, read_index, candidate, range)) {
        return false;
    }
    const Mismatches::Run anchor = state_.mismatches.longest_run(range.begin, range.end);
    if (anchor.end == anchor.begin) return false;
    candidate.anchor_begin = anchor.begin;
    candidate.anchor_end = anchor.end;
    const uint32_t before = state_.mismatches.matches_before(anchor.begin);
    const uint32_t behind =
        state_.mismatches.matches_before(range.end) - before - (anchor.end - anchor.begin);
    const Side left = walk_left(range, anchor.begin, before);
    const Side right = walk_right(range, anchor.end, behind, read.length);
    candidate.left_gapped = gap_may_win(read, candidate, range, false, left.value, plain);
    candidate.right_gapped = gap_may_win(read, candidate, range, true, right.value, plain);
    candidate.query_begin = anchor.begin - left.taken;
    candidate.query_end = anchor.end + right.taken;
    weigh(batch.read_qualities(read_index), candidate);
    candidate.target_begin = candidate.diagonal + candidate.query_begin;
    candidate.target_end = candidate.diagonal + candidate.query_end;
    candidate.left_score = left.score;
    candidate.right_score = right.score;
    const auto matches = static_cast<int32_t>(anchor.end - anchor.begin);
    candidate.score = matches * parameters_.scoring.match + left.score + right.score;
    return true;
}

}  // namespace gannet::align
