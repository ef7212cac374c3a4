// SPDX-License-Identifier: MIT
// Provides the scale from score margins to Phred.
#include "align/mapq.hpp"

#include "align/work_state.hpp"

#include <algorithm>
#include <array>

namespace gannet::align {
namespace {

/// Phred per two mismatches of margin: a read that fits elsewhere with one mismatch more (22 Phred) is wrong
/// about once in 170 times, whatever the scores that mismatches are given. With the default scores it is 4.5
/// Phred per score unit. Heuristic; docs/alignment.md has the error rates measured with it.
constexpr int32_t k_phred_per_two_mismatches = 45;
/// Taken off for each mismatch's worth of loss. Reads that fit nowhere well may come from a sequence that the
/// reference lacks or the sample has changed: the more they differ from the best candidate, the less a small
/// margin over the next one means. Heuristic.
constexpr int32_t k_phred_per_mismatch = 4;
/// What the mate can add to the read's own evidence: pairing alone never makes a read certain. As bwa mem's.
constexpr int32_t k_max_phred_by_mate = 40;
/// Short alignments match by chance: a human genome of 6.2e9 bases on both strands has about one exact match
/// of 16 bases (log4 of it) to any sequence. Up to the score of 20 matches nothing is certain; each further
/// matched base, which makes a chance match four times (6 Phred) rarer, counts 2 Phred only, as bases of a
/// genome are not random. A mate that makes a proper pair is worth 20. Heuristics.
constexpr int32_t k_chance_matches = 20;
constexpr int32_t k_phred_per_base_beyond_chance = 2;
constexpr int32_t k_phred_of_proper_mate = 20;
/// No margin excludes a locus that no seed found, or that the reference lacks. As bwa mem's.
constexpr int64_t k_max_mapping_quality = 60;

/// round(10 log10(n)) for n = 1..16 near-equal candidates: the chance that one of them is right.
constexpr std::array<int32_t, 17> k_crowd_penalty{0, 0, 3, 5, 6, 7, 8, 8, 9, 10, 10, 10, 11, 11, 11, 12, 12};

/// `mismatch`: what one loses, in the unit of the margin.
int64_t to_phred(int32_t margin, int32_t mismatch) {
    return int64_t{margin} * k_phred_per_two_mismatches / (2 * mismatch);
}

}  // namespace

uint8_t mapping_quality(const MappingEvidence& evidence, const kernels::BandedSwScoring& scoring) {
    if (evidence.margin <= 0) return 0;
    const int32_t mismatch = scoring.mismatch_loss() * k_score_unit;
    int64_t quality = to_phred(evidence.margin, mismatch);
    quality -= int64_t{evidence.loss} * k_phred_per_mismatch / mismatch;
    quality = std::min(quality,
                       std::max<int64_t>(0, to_phred(evidence.own_margin, mismatch)) + k_max_phred_by_mate);
    quality -= k_crowd_penalty[std::min<size_t>(evidence.near_equal, k_crowd_penalty.size() - 1)];
    const int64_t beyond_chance = evidence.aligned_score - k_chance_matches * scoring.match;
    const int64_t by_length = k_phred_per_base_beyond_chance * beyond_chance / scoring.match +
                              (evidence.proper_pair ? k_phred_of_proper_mate : 0);
    quality = std::min({quality, by_length, k_max_mapping_quality});
    return static_cast<uint8_t>(std::max<int64_t>(quality, 0));
}

}  // namespace gannet::align
