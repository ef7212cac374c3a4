// SPDX-License-Identifier: MIT
// Provides the contract of the op pairing: which of its candidates each read of a template is aligned to, as
// a pair or not, and with what mapping quality. The constants that it names are in pairing_policy.hpp.
//
// Weighed scores, totals, margins and losses are in 1 / k_score_unit of a score unit. M is what a mismatch
// loses, scoring.mismatch_loss(), and U the unpaired_penalty, both in that unit. Two candidates of a read
// overlap if they align more than half of the same bases of it as sequenced, relative to the one that aligns
// fewer.
//
// Of each template, two reads or one:
//
// 1. Competing. A read's candidates are those on the primary assembly and behind them those on ALT contigs,
//    each part with the highest score first. Those on ALT contigs compete if there are no others, or if
//    their first scores at least minimum_score and the others' first does not; else the others do, and those
//    on ALT contigs are aside. Where the first that competes scores less than minimum_score, none does: the
//    read has no place. Within reach are those of the first k_max_candidates that score at least the first's
//    score - unpaired_penalty.
// 2. Ties. The label gives a salt: 0x9e3779b97f4a7c15, and for each of its bytes mix64(salt ^ byte). With
//    a salt s a candidate has the hash h(s) = mix64(s ^ mix64(2 * diagonal + strand)); of a pair it is h of
//    the first read's candidate with h of the second one's as its salt.
// 3. Alone. Of a read's candidates within reach the one with the highest weighed score is the best by
//    itself; of equals that with the highest hash, then the first. Where the batch is not paired, or one of
//    the reads has no place, that is what is chosen, and the total of a candidate is its weighed score.
// 4. Pairs. Two candidates within reach are a proper pair if they lie on one contig and on different
//    strands, and the insert, from the begin of the forward read to the end of the reverse one with what is
//    not aligned of either, is within 1..k_max_insert_bp and [low_bp, high_bp]. The total of a pair is the
//    sum of the weighed scores less match * tail_penalty[min(4 * |insert - mean_bp| / max(1, sd_bp), 32)].
//    Without one two candidates have the sum less U. The pair of highest total is chosen: a proper one before
//    two that are none, which are the best by themselves; of proper ones that with the highest hash, then the
//    first of the first read, then of the second. The total of a candidate is the highest of its proper
//    pairs, and of it with the mate's best by itself.
// 5. Evidence of a read with a place. sub_score is the highest score of another one that competes and
//    overlaps the chosen one, but at least pruned_score. The read's own margin is that of the chosen score
//    over sub_score. Rivals are other candidates within reach that overlap the chosen one. The margin is that
//    of the chosen total over the highest of a rival; without rivals the own margin, or M /
//    k_usual_mismatch_loss where that is negative. Near-equal are rivals of at least the chosen total less M.
//    The loss of a read is what its weighed score lacks to a perfect match of the bases aligned (at least 0),
//    and for each end that is clipped what perfect matches of it would add, at most M. That of a read in a
//    proper pair is the sum of both reads'.
// 6. Left out. The own margin over what was left out of a read is k_nothing_left_out, but no more than the
//    chosen score less dropped_score where that is not negative; and where the read is `narrowed` or
//    dropped_bp is not 0, no more than what max(0, n - dropped_bp / kmer) differences lose
//    (scoring.least_loss()), with n the parts that count: going through its parts, each that begins where the
//    last one ended or later, and in which the chosen candidate matches. It does if the part (oriented) is
//    aligned, and its packed bases are those of the genome on the candidate's diagonal, or on that of its
//    left or right end if that side is gapped; not where a block of 32 bases of the part, counted from its
//    begin, begins before the genome or less than 64 bases before its end. The margin of the template over
//    what was left out of a read, m being its own one: where nothing was, or the mate has no place, m; else
//    with s the lower of U and the mate's own margin over what was left out and, where more than
//    k_max_rescues of the mate's compete, what the one at that index weighs less than the mate's chosen one:
//    m
//    + max(s, 0) of a proper pair, m + s - U of others. Where the batch is not paired it is m.
//    Near-equal are more than can be counted where that margin is at most M, else none.
// 7. Search. A proper pair needs one if of either read what was left out is near-equal, and not both margins
//    of step 5 are 0 or less. What it finds is not known here; the mapping quality is the one without.
// 8. Mapping quality: mapping_quality.hpp, of the lower margins and the higher number of near-equal ones of
//    steps 5 and 6.
// 9. Further alignments. `more_parts`: candidates are aside, or one that competes scores at least
//    minimum_score and does not overlap the chosen one. `other_hits`: of those that compete, do overlap it,
//    and score at least minimum_score and four fifths of it, there are 1 to k_max_other_hits
//    (k_max_other_hits_with_alternates where they are on ALT contigs).
#pragma once

#include "kernels/backend.hpp"
#include "kernels/candidates/candidate.hpp"
#include "kernels/genome/genome_view.hpp"
#include "kernels/pairing/mapping_quality.hpp"
#include "kernels/pairing/pairing_policy.hpp"
#include "kernels/reads/read_batch_view.hpp"
#include "kernels/seeds/seed_hits.hpp"
#include "kernels/stream.hpp"

#include <cstdint>
#include <vector>

namespace gannet::kernels {

/// Ranges: the scoring's as banded_sw has them; unpaired_penalty 0..2^20; kmer at least 1; else the op throws
/// std::invalid_argument.
struct PairingParameters {
    BandedSwScoring scoring;
    MinimumScore minimum_score;
    int32_t unpaired_penalty = k_default_unpaired_penalty;
    uint32_t kmer = 21;   ///< bp, of the seeds
    int32_t mean_bp = 0;  ///< of inserts, as is the next
    int32_t sd_bp = 0;
    int32_t low_bp = 0;  ///< of a proper pair, as is the next
    int32_t high_bp = 0;
    TailPenalty tail_penalty = k_tail_penalty;
    CrowdPenalty crowd_penalty = k_crowd_penalty;
    DifferenceDiscount difference_discount = k_difference_discount;

    /// What the contract calls minimum_score, of a read of this length.
    constexpr int32_t minimum_score_of(uint32_t read_bp) const {
        return minimum_score.of(read_bp, scoring.match);
    }
};

/// What of a read is chosen from, and what was left out.
struct PairingRead {
    uint32_t length = 0;
    uint32_t candidate_begin = 0;  ///< in PairingBatch::candidates
    uint32_t candidate_end = 0;
    uint32_t part_begin = 0;  ///< in PairingBatch::parts, ordered by end
    uint32_t part_end = 0;
    bool narrowed = false;       ///< seeds left entries out: its parts limit how well those can match
    CandidatesLeftOut left_out;  ///< of its candidates
};

/// Plain arrays. Of the ReadBatchView beside it the op reads the packed bases of strands, and whether reads
/// are paired.
struct PairingBatch {
    const PairingRead* reads = nullptr;  ///< as many as the ReadBatchView has
    const Candidate* candidates = nullptr;
    uint32_t candidate_count = 0;
    const DistinctPart* parts = nullptr;
    uint32_t part_count = 0;
    const char* labels = nullptr;           ///< one of each template, which decides between equals
    const uint32_t* label_begin = nullptr;  ///< templates + 1
};

inline constexpr uint32_t k_no_candidate = UINT32_MAX;

/// What is known of a read's place. No padding: its bytes can be compared. Without a candidate all else is 0.
struct PlacedRead {
    uint32_t candidate = k_no_candidate;  ///< in PairingBatch::candidates
    int32_t sub_score = 0;
    uint8_t mapping_quality = 0;
    bool proper = false;
    bool needs_search = false;  ///< of both reads or none
    bool more_parts = false;
    bool other_hits = false;
    bool left_gapped = false;  ///< of the candidate
    bool right_gapped = false;
    uint8_t zero = 0;
};
static_assert(sizeof(PlacedRead) == 16);

/// `out` is resized by the op to one of each read. An even number of reads where these are paired, those with
/// candidates of at most k_banded_sw_max_query bases, and ranges that lie in their arrays, else the op throws
/// std::invalid_argument. Determinism class: exact-int; equal bytes on every backend, whatever the order or
/// the split of the templates. Cost: of a template the product of what is within reach of its two reads.
/// Thread-safe on CPU backends. On a device the genome must be resident (kernels/resident.hpp).
using PairingFunction = void (*)(Stream&, const PairingParameters&, const GenomeView&, const ReadBatchView&,
                                 const PairingBatch&, std::vector<PlacedRead>& out);

/// The function for a backend that is available (backend_status).
PairingFunction pairing_function(Backend backend, SimdLevel level);

}  // namespace gannet::kernels
