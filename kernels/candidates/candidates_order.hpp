// SPDX-License-Identifier: MIT
// Provides the orders and tests of the search for candidates that diagonals and candidates are chosen by, and
// the jobs of banded_sw, for host and device.
#pragma once

#include "kernels/candidates/candidates.hpp"
#include "kernels/genome/packed_words.hpp"

#include <algorithm>
#include <cstdint>

namespace gannet::kernels::candidates {

/// Of two alignments that are shifted against each other, in a tandem repeat, by at least so many bases and
/// differ in score by less than so many mismatches, either may be right. Heuristics: smaller shifts do not
/// matter to what uses the alignments, and 3 mismatches are a mapping quality of 60.
inline constexpr int64_t k_min_tandem_shift_bp = 25;
inline constexpr int32_t k_tandem_mismatches = 3;

constexpr int64_t diagonal_of(uint64_t diagonal_key) { return diagonal_of_hit(diagonal_key << 16); }
constexpr uint8_t strand_of(uint64_t diagonal_key) { return strand_of_hit(diagonal_key << 16); }

/// Which of equally covered diagonals are kept must not depend on their position: a hash orders them.
constexpr bool covers_more(const Diagonal& a, const Diagonal& b) {
    if (a.seeds != b.seeds) return a.seeds > b.seeds;
    const auto x = static_cast<uint64_t>(2 * diagonal_of(a.key) + strand_of(a.key));
    const auto y = static_cast<uint64_t>(2 * diagonal_of(b.key) + strand_of(b.key));
    return mix64(x) < mix64(y);
}

/// A pruned candidate can change neither what is chosen nor its mapping quality where the best one matches
/// the complete read and needs no extension: only its score counts, as that of the best other alignment.
/// Those near the best one are compared in full.
constexpr bool may_be_pruned(uint64_t best_key, uint32_t best_seeds, const Diagonal& other, int64_t band) {
    const int64_t distance = diagonal_of(other.key) - diagonal_of(best_key);
    const bool near = strand_of(other.key) == strand_of(best_key) && distance <= band && -distance <= band;
    return !near && other.seeds * 2 < best_seeds;
}

/// Does a candidate that matches the complete read leave others without hope?
constexpr bool settles(const Candidate& best, uint32_t read_length) {
    return best.query_begin == 0 && best.query_end == read_length && !best.left_gapped &&
           !best.right_gapped && !best.alternate;
}

/// `mismatch_loss`: of the scoring; here and below.
constexpr bool are_shifted(const Candidate& a, const Candidate& b, int32_t mismatch_loss) {
    // Diagonals of the first and of the last aligned base: an indel changes one of them, a shift both.
    const int64_t at_begin = a.target_begin - a.query_begin - (b.target_begin - b.query_begin);
    const int64_t at_end = a.target_end - a.query_end - (b.target_end - b.query_end);
    const int64_t shift = std::min(at_begin < 0 ? -at_begin : at_begin, at_end < 0 ? -at_end : at_end);
    const int32_t loss = a.score - b.score;
    const int32_t too_much = k_tandem_mismatches * mismatch_loss;
    return shift >= k_min_tandem_shift_bp && loss < too_much && -loss < too_much;
}

/// Two alignments of the same bases to the same stretch of the reference, or one found twice: the worse one
/// is of no use.
constexpr bool on_same_stretch(const Candidate& a, const Candidate& b, int32_t mismatch_loss) {
    const int64_t target = std::min(a.target_end, b.target_end) - std::max(a.target_begin, b.target_begin);
    const int64_t query =
        int64_t{std::min(a.query_end, b.query_end)} - std::max(a.query_begin, b.query_begin);
    const Candidate& worse = a.score < b.score ? a : b;
    return !are_shifted(a, b, mismatch_loss) && 2 * target > worse.target_end - worse.target_begin &&
           2 * query > int64_t{worse.query_end} - worse.query_begin;
}

/// The order of a read's candidates.
constexpr bool comes_before(const Candidate& a, const Candidate& b) {
    if (a.alternate != b.alternate) return b.alternate;
    if (a.score != b.score) return a.score > b.score;
    if (a.strand != b.strand) return a.strand < b.strand;
    if (a.diagonal != b.diagonal) return a.diagonal < b.diagonal;
    return a.query_begin < b.query_begin;
}

constexpr bool is_gapped(const Candidate& candidate) {
    return candidate.left_gapped || candidate.right_gapped;
}

/// Is a candidate too far below the best one of its part to be extended?
constexpr bool is_pruned(const Candidate& candidate, int32_t best_score, uint32_t best_seeds,
                         int32_t mismatch_loss) {
    return candidate.score < best_score - k_pruned_mismatches * mismatch_loss &&
           candidate.seeds * 2 < best_seeds;
}

constexpr GenomeInterval contig_interval(const GenomeView& genome, uint32_t contig) {
    const auto begin = static_cast<int64_t>(genome.contig_begin[contig]);
    return {begin, begin + static_cast<int64_t>(genome.contig_length[contig])};
}

/// The job of a gapped side of a candidate, which lies on `contig`.
constexpr ExtensionJob extension_job(GenomeInterval contig, const BandedSwScoring& scoring,
                                     int64_t widest_band, uint32_t read, uint32_t read_length,
                                     const Candidate& candidate, bool left) {
    const uint32_t query_begin = left ? 0 : candidate.anchor_end;
    const int64_t length = left ? candidate.anchor_begin : read_length - candidate.anchor_end;
    // A longer gap costs more than all matches and the bonus can bring: the band need not be wider.
    const int64_t longest_gap =
        (length * scoring.match + scoring.end_bonus - scoring.gap_open) / scoring.gap_extend;
    const int64_t band = std::clamp<int64_t>(longest_gap, 1, widest_band);
    const int64_t anchor = candidate.diagonal + (left ? candidate.anchor_begin : candidate.anchor_end);
    const int64_t begin = left ? std::max(contig.begin, anchor - length - band) : anchor;
    const int64_t end = left ? anchor : std::min(contig.end, anchor + length + band);
    ExtensionJob job;
    job.target_begin = begin;
    job.target_length = static_cast<uint32_t>(end > begin ? end - begin : 0);
    job.read = read;
    job.query_begin = static_cast<uint16_t>(query_begin);
    job.query_length = static_cast<uint16_t>(length);
    job.band = static_cast<uint16_t>(band);
    job.strand = candidate.strand;
    job.left = left ? 1 : 0;
    return job;
}

}  // namespace gannet::kernels::candidates
