// SPDX-License-Identifier: MIT
// Provides the contract of the second step of the op find_candidates: from the seed hits of reads to
// candidate alignments, and to the sides of these that banded_sw has to extend. No dynamic programming.
//
// Of each read, with L its length and all positions oriented:
//
// 1. Diagonals. Hits of one strand and diagonal are one diagonal. It covers the read bases that its seeds,
//    [position, position + kmer), have in their union. A diagonal is on an ALT contig if the base of the
//    genome at diagonal + L / 2 is.
// 2. Limit of diagonals. Of those that are not on ALT contigs, k_max_diagonals are kept, and of those that
//    are as many: those that cover most, of equals those with the lower mix64(2 * diagonal + strand). If any
//    is dropped that is not on an ALT contig, or any at all where there is none that is not: truncated = 1,
//    and dropped_bp is the most that such a dropped one covers.
// 3. Comparison with a diagonal d. The contig is that of the base d + L / 2, clamped to the genome (padding
//    belongs to the contig before it). A base matches if read and genome have the same of A, C, G and T; it
//    is ambiguous if either has another letter; else it is a mismatch. Bases outside the contig are no part
//    of the comparison. The diagonal is plain if the read has no ambiguous base and no block of
//    2^k_fine_block_bits bases that [d - 64, d + L + 64) touches has one; never if this is more than two
//    blocks long or reaches out of the genome.
//      anchor    the longest run of matches, of equals the first; without any there is no candidate
//      side      from the anchor outwards the bases taken are those with the highest sum of match, -mismatch
//                and -ambiguous, of equals the fewest; but all of them where the side reaches the end of the
//                read and the sum of all plus end_bonus is at least that. The score of a side is without the
//                bonus, its value with it
//      score     that of the anchor and of both sides
//      quality   of a side: the sum of quality_weight[min(quality, 63)] of the mismatches taken (not of
//                ambiguous bases), 0 where qualities are absent
//      gapped    with n the bases of a side, its loss is n * match + end_bonus - value. Not gapped if n is 0
//      or
//                the loss at most gap_open + gap_extend; else gapped if the diagonal is not plain, or the
//                loss more than three times match + mismatch or 15 times match; else gapped if one gap might
//                win (below)
//    One gap of g = 1, 2, ... bases, as long as gap_open + g * gap_extend is below the loss: a deletion costs
//    that, an insertion g * match more. A gap of g = 64 might win. Where the cost of a shorter one is below
//    the loss, a = (loss - cost - 1) / (match + mismatch) mismatches are allowed on either side of the gap. p
//    is the side's mismatch number a, counted from 0 and from the anchor; the gap might win if there is none.
//    Beyond the gap the read lies on d + g (to the right with a deletion, to the left with an insertion) or
//    on d - g (the others), where [q, L) (to the right; to the left [0, q)) is the longest end of the read
//    with at most a mismatches. The gap might win if q <= p (to the left q > p); with an insertion if q <= p
//    + g (q + g > p).
// 4. Pruned diagonals. The best diagonal covers most, of equals it has the lowest key. If it gives a
//    candidate with all of the read's bases, no gapped side and not on an ALT contig, then a diagonal that
//    covers less than half of that, and is on the other strand or farther than `band` from it, is pruned
//    and gives no candidate, but for those with a match that are on an ALT contig or score at least the best
//    one's score - k_pruned_mismatches * (match + mismatch). pruned_score is the highest score of those
//    that are (0 without any).
// 5. Redundant candidates. Only where there are at least two candidates: in the order of strand and diagonal,
//    each one that is still there is compared with those behind it of the same strand whose diagonal is at
//    most `band` higher, as long as it is there itself; of two on the same stretch the one with the lower
//    score goes, of equals the second. The same stretch: both overlap, in the genome and in the read, in more
//    than half of what the one with the lower score (of equals the second) has there; and they are not
//    shifted: at both ends their diagonals (target - query) are at least 25 apart and their scores less than
//    3 * (match + mismatch) apart. What is left, if not on ALT contigs, and the pruned ones together more
//    than k_max_candidates: truncated = 1.
// 6. Order: those on ALT contigs last, then highest score, strand, lowest diagonal, lowest query_begin. Of
//    both parts the first k_max_candidates are kept. If any is dropped that is not on an ALT contig, or any
//    at all where there is none that is not: truncated = 1, and dropped_score is the score of the first.
// 7. Extensions. In each part, of the candidates with a gapped side those are pruned that score more than
//    k_pruned_mismatches * (match + mismatch) below the part's first and cover less than half of what it
//    covers. The first k_max_extended of the others are extended; of all the rest both sides count as not
//    gapped. Each gapped side of each candidate in turn, left then right, is a job. With n the side's bases
//    in the read, also those outside the contig, its band is (n * match + end_bonus - gap_open) / gap_extend
//    clamped to 1..band, and its target the genome from the anchor outwards to n + band bases or to the end
//    of the contig.
//
// Hits are of as many reads as the batch has: at most 2^31, each of at most k_banded_sw_max_query bases; in
// any order, with position + kmer <= length and a diagonal of at least -k_diagonal_bias. Qualities may be
// absent (null). Determinism class: exact-int; equal bytes on every backend (candidates_backends.hpp),
// whatever the order or the split of the reads. The schedule takes reads of at most 320 bp and 1,024 hits.
#pragma once

#include "kernels/candidates/candidate.hpp"
#include "kernels/genome/genome_view.hpp"
#include "kernels/reads/read_batch_view.hpp"
#include "kernels/seeds/seed_hits.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace gannet::kernels {

/// What a mismatch costs less (or more) than the scoring says, by base quality, in 1 / k_score_unit. With the
/// default scoring, and p = 10^(-q/10): -10 log10(p / 3 + 0.001) Phred at 4.5 Phred a score unit, against the
/// 5 units of a match missed and a mismatch. A base that is likely wrong is weak evidence against a
/// candidate; 0.001 allows for variants.
using QualityWeights = std::array<int16_t, 64>;
inline constexpr QualityWeights k_quality_weights{
    63,  60,  56,  52,  49,  45,  42,  38,  35,  31,  28,  24,  21,  18,  14,  11,
    8,   5,   2,   -1,  -4,  -7,  -9,  -11, -14, -16, -17, -19, -20, -21, -22, -23,
    -24, -24, -25, -25, -25, -26, -26, -26, -26, -26, -26, -26, -26, -27, -27, -27,
    -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27, -27};

/// The same with other scores, in proportion to what a mismatch loses with them; rounded towards 0.
constexpr QualityWeights quality_weights(const BandedSwScoring& scoring) {
    QualityWeights weights = k_quality_weights;
    for (int16_t& weight : weights)
        weight = static_cast<int16_t>(weight * scoring.mismatch_loss() / k_usual_mismatch_loss);
    return weights;
}

/// Ranges: the scoring's as banded_sw has them; band 1..1024; kmer 1..64.
struct CandidateParameters {
    BandedSwScoring scoring;
    uint32_t band = 100;  ///< bp, of an extension; clipped to the longest gap that can pay
    uint32_t kmer = 21;   ///< bp, of the seeds
    QualityWeights quality_weight = k_quality_weights;

    /// Score below that of the best candidate beyond which others are pruned.
    constexpr int32_t pruned_below() const { return k_pruned_mismatches * scoring.mismatch_loss(); }
};

/// Candidates of read r: [candidate_begin[r], candidate_begin[r + 1]); jobs in the order of these, whose
/// left_job and right_job are indexes into `jobs`. Resized by the op.
struct CandidateResults {
    std::vector<uint32_t> candidate_begin;  ///< reads + 1
    std::vector<Candidate> candidates;
    std::vector<CandidatesLeftOut> left_out;  ///< reads
    std::vector<ExtensionJob> jobs;
};

}  // namespace gannet::kernels
