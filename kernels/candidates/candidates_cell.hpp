// SPDX-License-Identifier: MIT
// Provides the comparison of a read with one diagonal, written once for host and device.
//
// It asks a Bits for the bases that differ, of which there are two kinds: words of a read on the host
// (mismatches.hpp), and those of one lane (candidates_schedule.hpp). Both have
//   clear(length)                      every base of a read is outside
//   set_word(index, bits, bases)       32 bases, the low bit of each 2 set where it differs; from `bases` on
//                                      they are outside
//   set_ambiguous_word(index, bits)    those that are set differ, and are ambiguous
//   ambiguous(base), run_end(from), run_begin(to), matches_before(to), longest_run(begin, end)
// All functions are constexpr, so that nvcc --expt-relaxed-constexpr takes them for the device.
#pragma once

#include "kernels/bits.hpp"
#include "kernels/candidates/candidates.hpp"
#include "kernels/genome/ambiguity.hpp"
#include "kernels/genome/packed_words.hpp"

#include <algorithm>

namespace gannet::kernels::candidates {

/// Gaps of fewer bases are looked for on shifted diagonals; so many bases around the read have to be plain.
/// With the default scores no gap of that length pays off where the loss is small enough for the search.
inline constexpr int64_t k_margin_bp = 64;

/// Losses of more mismatches than the first, or of more matches than the second, go to banded_sw without a
/// search: many diagonals could then win, or several differences beyond which the side was clipped. With the
/// default scores both are 15. Heuristic.
inline constexpr int32_t k_max_searched_mismatches = 3;
inline constexpr int32_t k_max_searched_matches = 15;

/// One read of a batch.
struct SingleRead {
    uint32_t length = 0;
    const uint64_t* packed = nullptr;  ///< strand 0, then strand 1
    const uint64_t* mask = nullptr;    ///< the same; null if no base is ambiguous
    const uint8_t* quality = nullptr;  ///< as sequenced; null if absent

    constexpr const uint64_t* words(uint32_t strand) const {
        return packed + (strand != 0 ? strand_words(length) : 0);
    }
    constexpr const uint64_t* mask_words(uint32_t strand) const {
        return mask + (strand != 0 ? strand_words(length) : 0);
    }
};

constexpr SingleRead single_read(const ReadBatchView& reads, uint32_t read) {
    return {reads.length[read], reads.words(read, 0),
            reads.is_ambiguous(read) ? reads.mask_words(read, 0) : nullptr,
            reads.quality == nullptr ? nullptr : reads.quality + reads.quality_begin[read]};
}

/// Oriented bases that are within the contig.
struct BaseRange {
    uint32_t begin = 0;
    uint32_t end = 0;
};

/// What is aligned on one side of the anchor, and its length.
struct Side {
    uint32_t taken = 0;  ///< bases in the alignment, from the anchor outwards
    int32_t score = 0;
    int32_t value = 0;  ///< score, and the bonus if the end of the read is reached
};

/// The contig of a genome coordinate; padding belongs to the contig before it, or to the first.
constexpr uint32_t contig_of(const GenomeView& genome, uint64_t position) {
    uint32_t low = 0;
    uint32_t high = genome.contigs;
    while (low != high) {
        const uint32_t middle = low + (high - low) / 2;
        if (genome.contig_begin[middle] <= position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? 0 : low - 1;
}

/// The low bits of bases [begin, end) of a word, both at most 32.
constexpr uint64_t bases_of_word(uint32_t begin, uint32_t end) {
    const uint64_t below_end = end == 32 ? k_low_bits : k_low_bits & ((uint64_t{1} << 2 * end) - 1);
    return begin == 0 ? below_end : below_end & ~((uint64_t{1} << 2 * begin) - 1);
}

template <class Bits>
constexpr void find_mismatches(const GenomeView& genome, const SingleRead& read, uint32_t strand,
                               int64_t diagonal, Bits& bits) {
    const uint64_t* own = read.words(strand);
    bits.clear(read.length);
    for (uint32_t base = 0; base < read.length; base += 32) {
        const uint64_t other = word_at(genome.packed, static_cast<uint64_t>(diagonal) + base);
        bits.set_word(base / 32, mismatch_bits(own[base / 32], other), read.length - base);
    }
}

/// Marks what is ambiguous of the genome under oriented bases [range.begin, range.end).
template <class Bits>
constexpr void mark_ambiguous(const GenomeView& genome, int64_t diagonal, BaseRange range, Bits& bits) {
    for (uint32_t next = first_ambiguous(genome, diagonal + range.begin);
         next < genome.ambiguous_count && genome.ambiguous[next].begin < diagonal + range.end; ++next) {
        const int64_t from = std::max<int64_t>(genome.ambiguous[next].begin - diagonal, range.begin);
        const int64_t to = std::min<int64_t>(genome.ambiguous[next].end - diagonal, range.end);
        for (auto word = static_cast<uint32_t>(from) / 32; word * 32 < static_cast<uint32_t>(to); ++word) {
            const uint32_t begin = std::max(static_cast<uint32_t>(from), word * 32) - word * 32;
            const uint32_t end = std::min(static_cast<uint32_t>(to) - word * 32, 32u);
            bits.set_ambiguous_word(word, bases_of_word(begin, end));
        }
    }
}

/// As find_mismatches(), where read or genome may be ambiguous or the contig may end; false if no base of the
/// read is within the contig.
template <class Bits>
constexpr bool find_mismatches_in_contig(const GenomeView& genome, const SingleRead& read,
                                         const Candidate& candidate, Bits& bits, BaseRange& range) {
    const auto first = static_cast<int64_t>(genome.contig_begin[candidate.contig]);
    const int64_t last = first + static_cast<int64_t>(genome.contig_length[candidate.contig]);
    const int64_t begin = std::max(candidate.diagonal, first);
    const int64_t end = std::min(candidate.diagonal + static_cast<int64_t>(read.length), last);
    if (begin >= end) return false;
    range = {static_cast<uint32_t>(begin - candidate.diagonal),
             static_cast<uint32_t>(end - candidate.diagonal)};
    const uint64_t* own = read.words(candidate.strand);
    bits.clear(read.length);
    // The padding around contigs makes each word that has a base of the range readable, with the next one.
    for (uint32_t base = range.begin / 32 * 32; base < range.end; base += 32) {
        const auto at = static_cast<uint64_t>(candidate.diagonal + base);
        uint64_t differing = mismatch_bits(own[base / 32], word_at(genome.packed, at));
        if (base < range.begin) differing |= bases_of_word(0, range.begin - base);
        bits.set_word(base / 32, differing, range.end - base);
        if (read.mask == nullptr) continue;
        const uint32_t from = base < range.begin ? range.begin - base : 0;
        const uint64_t ambiguous = read.mask_words(candidate.strand)[base / 32] &
                                   bases_of_word(from, std::min(range.end - base, 32u));
        if (ambiguous != 0) bits.set_ambiguous_word(base / 32, ambiguous);
    }
    mark_ambiguous(genome, candidate.diagonal, range, bits);
    return true;
}

/// The best ungapped extension of one side. Ends early where not even the matches to come, and the bonus, can
/// bring the score back to the best one: on most diagonals of a read in a repeat, soon.
/// `matches`: bases of that side that match.
template <bool right, class Bits>
constexpr Side walk(const Bits& bits, const BandedSwScoring& scoring, BaseRange range, uint32_t anchor,
                    uint32_t matches, uint32_t read_length) {
    Side side;
    int32_t score = 0;
    for (uint32_t at = anchor; right ? at < range.end : at > range.begin;) {
        const uint32_t mismatch = right ? at : at - 1;
        at = right ? bits.run_end(mismatch + 1) : bits.run_begin(mismatch);
        const uint32_t run = right ? at - mismatch - 1 : mismatch - at;
        score += static_cast<int32_t>(run) * scoring.match;
        score -= bits.ambiguous(mismatch) ? scoring.ambiguous : scoring.mismatch;
        if (score > side.score) side = {right ? at - anchor : anchor - at, score, score};
        matches -= run;
        const int32_t most = score + static_cast<int32_t>(matches) * scoring.match;
        if (most + scoring.end_bonus < side.score) return side;
    }
    const bool reaches_end = right ? range.end == read_length : range.begin == 0;
    if (reaches_end && score + scoring.end_bonus >= side.score)
        side = {right ? read_length - anchor : anchor, score, score + scoring.end_bonus};
    return side;
}

/// How far from the read's far end a stretch with at most `allowed` mismatches reaches on a plain diagonal:
/// the oriented position where it begins (right) or ends (left).
constexpr uint32_t far_reach(const GenomeView& genome, const SingleRead& read, uint32_t strand,
                             int64_t diagonal, bool right, uint32_t allowed) {
    const uint64_t* own = read.words(strand);
    const uint32_t blocks = (read.length + 31) / 32;
    for (uint32_t i = 0; i < blocks; ++i) {
        const uint32_t base = 32 * (right ? blocks - 1 - i : i);
        uint64_t bits =
            mismatch_bits(own[base / 32], word_at(genome.packed, static_cast<uint64_t>(diagonal) + base));
        if (read.length - base < 32) bits &= (uint64_t{1} << 2 * (read.length - base)) - 1;
        for (; bits != 0; --allowed) {
            const uint32_t bit = right ? 63 - leading_zeros(bits) : trailing_zeros(bits);
            if (allowed == 0) return right ? base + bit / 2 + 1 : base + bit / 2;
            bits ^= uint64_t{1} << bit;
        }
    }
    return right ? 0 : read.length;
}

inline constexpr uint32_t k_no_mismatch = UINT32_MAX;

/// The n-th mismatch, from 0, of a side from its anchor on; k_no_mismatch if the side has no more than n.
template <class Bits>
constexpr uint32_t nth_mismatch(const Bits& bits, BaseRange range, uint32_t anchor, bool right, uint32_t n) {
    for (uint32_t at = anchor; right ? at < range.end : at > range.begin;) {
        const uint32_t mismatch = right ? at : at - 1;
        if (n-- == 0) return mismatch;
        at = right ? bits.run_end(mismatch + 1) : bits.run_begin(mismatch);
    }
    return k_no_mismatch;
}

/// Whether a side needs banded_sw. With P the score of a perfect side and U the ungapped one's (both with the
/// end bonus), one gap of g costs at least gap_open + g * gap_extend, so with P - U at most the cost of a gap
/// of one the side is optimal: with the default scores a single mismatch always is. Up to a loss of three
/// mismatches, alignments of one gap are looked for on the diagonals that they would end on; two gaps or a
/// gap and a clipped end are not considered in that case.
template <class Bits>
constexpr bool gap_may_win(const GenomeView& genome, const BandedSwScoring& scoring, const SingleRead& read,
                           const Candidate& candidate, const Bits& bits, BaseRange range, bool right,
                           int32_t value, bool plain) {
    const uint32_t anchor = right ? candidate.anchor_end : candidate.anchor_begin;
    const uint32_t length = right ? range.end - anchor : anchor - range.begin;
    const int32_t loss = static_cast<int32_t>(length) * scoring.match + scoring.end_bonus - value;
    const int32_t mismatch_cost = scoring.mismatch_loss();
    if (length == 0 || loss <= scoring.gap_open + scoring.gap_extend) return false;
    if (!plain || loss > k_max_searched_mismatches * mismatch_cost ||
        loss > k_max_searched_matches * scoring.match)
        return true;
    for (int32_t gap = 1;; ++gap) {
        const int32_t deletion_cost = scoring.gap_open + gap * scoring.gap_extend;
        if (deletion_cost >= loss) return false;
        if (gap >= k_margin_bp) return true;
        for (const bool deletion : {true, false}) {
            const int32_t cost = deletion ? deletion_cost : deletion_cost + gap * scoring.match;
            if (cost >= loss) continue;
            const auto allowed = static_cast<uint32_t>((loss - cost - 1) / mismatch_cost);
            // The stretch next to the anchor may hold `allowed` mismatches on the candidate's own diagonal.
            const uint32_t near = nth_mismatch(bits, range, anchor, right, allowed);
            if (near == k_no_mismatch) return true;
            const int64_t shift = right == deletion ? gap : -gap;
            const uint32_t far =
                far_reach(genome, read, candidate.strand, candidate.diagonal + shift, right, allowed);
            // Inserted bases are between the two stretches and match nothing.
            const uint32_t inserted = deletion ? 0 : static_cast<uint32_t>(gap);
            if (right ? far <= near + inserted : far + inserted > near) return true;
        }
    }
}

/// Sums the quality weights of the mismatches within the alignment, for each side of the anchor.
template <class Bits>
constexpr void weigh(const QualityWeights& weights, const SingleRead& read, const Bits& bits,
                     Candidate& candidate) {
    candidate.left_quality = candidate.right_quality = 0;
    if (read.quality == nullptr) return;
    const auto weight = [&](uint32_t at) -> int32_t {
        if (bits.ambiguous(at)) return 0;
        const uint32_t quality = read.quality[candidate.strand != 0 ? read.length - 1 - at : at];
        return weights[std::min<uint32_t>(quality, 63)];
    };
    for (uint32_t at = candidate.anchor_begin; at > candidate.query_begin;) {
        candidate.left_quality += weight(at - 1);
        at = bits.run_begin(at - 1);
    }
    for (uint32_t at = candidate.anchor_end; at < candidate.query_end;) {
        candidate.right_quality += weight(at);
        at = bits.run_end(at + 1);
    }
}

/// What score_diagonal() finds beside the candidate's own members, for complete_candidate().
struct Comparison {
    BaseRange range;         ///< within the contig
    bool plain = false;      ///< is_plain() of the diagonal and its margins
    int32_t left_value = 0;  ///< of Side
    int32_t right_value = 0;
};

constexpr bool is_plain(const GenomeView& genome, const SingleRead& read, int64_t diagonal) {
    return read.mask == nullptr &&
           is_plain(genome, diagonal - k_margin_bp, diagonal + read.length + k_margin_bp);
}

/// The base of the genome that tells on which contig a diagonal is.
constexpr int64_t middle_of(const GenomeView& genome, int64_t diagonal, uint32_t read_length) {
    return std::clamp<int64_t>(diagonal + read_length / 2, 0, static_cast<int64_t>(genome.genome_size()) - 1);
}

/// Fills `candidate` (diagonal, strand and seeds given) but for what complete_candidate() does: contig,
/// anchor, ends and scores. False when nothing matches.
template <class Bits>
constexpr bool score_diagonal(const GenomeView& genome, const CandidateParameters& parameters,
                              const SingleRead& read, Bits& bits, Candidate& candidate,
                              Comparison& comparison) {
    const BandedSwScoring& scoring = parameters.scoring;
    const int64_t middle = middle_of(genome, candidate.diagonal, read.length);
    candidate.contig = contig_of(genome, static_cast<uint64_t>(middle));
    candidate.alternate = genome.is_alternate(middle);
    BaseRange& range = comparison.range;
    range = {0, read.length};
    comparison.plain = is_plain(genome, read, candidate.diagonal);
    if (comparison.plain) {
        find_mismatches(genome, read, candidate.strand, candidate.diagonal, bits);
    } else if (!find_mismatches_in_contig(genome, read, candidate, bits, range)) {
        return false;
    }
    const BaseRange anchor = bits.longest_run(range.begin, range.end);
    if (anchor.end == anchor.begin) return false;
    candidate.anchor_begin = anchor.begin;
    candidate.anchor_end = anchor.end;
    const uint32_t run = anchor.end - anchor.begin;
    const uint32_t before = bits.matches_before(anchor.begin);
    const uint32_t behind = bits.matches_before(range.end) - before - run;
    const Side left = walk<false>(bits, scoring, range, anchor.begin, before, read.length);
    const Side right = walk<true>(bits, scoring, range, anchor.end, behind, read.length);
    comparison.left_value = left.value;
    comparison.right_value = right.value;
    candidate.query_begin = anchor.begin - left.taken;
    candidate.query_end = anchor.end + right.taken;
    candidate.target_begin = candidate.diagonal + candidate.query_begin;
    candidate.target_end = candidate.diagonal + candidate.query_end;
    candidate.left_score = left.score;
    candidate.right_score = right.score;
    candidate.score = static_cast<int32_t>(run) * scoring.match + left.score + right.score;
    return true;
}

/// Which sides of a candidate need banded_sw, and the qualities: after score_diagonal(), with the same
/// `bits`.
template <class Bits>
constexpr void complete_candidate(const GenomeView& genome, const CandidateParameters& parameters,
                                  const SingleRead& read, const Bits& bits, const Comparison& comparison,
                                  Candidate& candidate) {
    candidate.left_gapped = gap_may_win(genome, parameters.scoring, read, candidate, bits, comparison.range,
                                        false, comparison.left_value, comparison.plain);
    candidate.right_gapped = gap_may_win(genome, parameters.scoring, read, candidate, bits, comparison.range,
                                         true, comparison.right_value, comparison.plain);
    weigh(parameters.quality_weight, read, bits, candidate);
}

/// Fills `candidate`, diagonal, strand and seeds given. False when nothing matches.
template <class Bits>
constexpr bool compare(const GenomeView& genome, const CandidateParameters& parameters,
                       const SingleRead& read, Bits& bits, Candidate& candidate) {
    Comparison comparison;
    if (!score_diagonal(genome, parameters, read, bits, candidate, comparison)) return false;
    complete_candidate(genome, parameters, read, bits, comparison, candidate);
    return true;
}

}  // namespace gannet::kernels::candidates
