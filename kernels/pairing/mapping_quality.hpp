// SPDX-License-Identifier: MIT
// Provides mapping qualities from score margins, for host and device; its numbers are in pairing_policy.hpp.
#pragma once

#include "kernels/candidates/candidate.hpp"
#include "kernels/pairing/pairing_policy.hpp"

#include <algorithm>
#include <cstdint>

namespace gannet::kernels {

/// What a mapping quality is made of. Margins and losses in 1 / k_score_unit of a score unit.
struct MappingEvidence {
    int32_t margin = 0;       ///< best total (of the pair) minus the best one with this read elsewhere
    int32_t own_margin = 0;   ///< the read's score here minus its best elsewhere; negative if that is better
    int32_t loss = 0;         ///< what the reads of the template lack to a perfect match there, clips limited
    uint32_t near_equal = 0;  ///< other candidates whose total is within a mismatch of the best
    int32_t aligned_score = 0;  ///< score of the alignment, in score units
    bool proper_pair = false;   ///< the mate makes a proper pair with it
};

/// A margin in Phred, rounded towards 0; `mismatch`: what one loses, in the unit of the margin.
constexpr int64_t margin_to_phred(int32_t margin, int32_t mismatch) {
    return int64_t{margin} * k_phred_per_two_mismatches / (2 * mismatch);
}

/// What `loss` (in the unit of `mismatch`, not negative) is cheaper than as many first differences, in
/// 1 / k_discounts_per_phred Phred; linear between whole differences, and beyond the table.
constexpr int64_t difference_discount(int64_t loss, int32_t mismatch, const DifferenceDiscount& discount) {
    const int64_t whole = std::min<int64_t>(loss / mismatch, discount.size() - 2);
    const auto at = static_cast<uint32_t>(whole);
    return discount[at] + (loss - whole * mismatch) * (discount[at + 1] - discount[at]) / mismatch;
}

/// 0 to 60: -10 log10 of the chance that the alignment is wrong, as far as the known candidates explain it.
/// Integers only. 0 without a margin. Else the margin in Phred, less the discount of as many differences
/// beyond those of the loss, but no more than the read's own margin in Phred plus 40; less a term for the
/// near-equal candidates; limited for short alignments. A margin of a mismatch gives the same quality with
/// every `scoring`. `crowd` and `discount`: k_crowd_penalty and k_difference_discount, wherever they lie.
constexpr uint8_t mapping_quality(const MappingEvidence& evidence, const BandedSwScoring& scoring,
                                  const CrowdPenalty& crowd, const DifferenceDiscount& discount) {
    if (evidence.margin <= 0) return 0;
    const int32_t mismatch = scoring.mismatch_loss() * k_score_unit;
    int64_t quality = margin_to_phred(evidence.margin, mismatch);
    quality -= (difference_discount(int64_t{evidence.loss} + evidence.margin, mismatch, discount) -
                difference_discount(evidence.loss, mismatch, discount)) /
               k_discounts_per_phred;
    quality = std::min(
        quality, std::max<int64_t>(0, margin_to_phred(evidence.own_margin, mismatch)) + k_max_phred_by_mate);
    quality -= crowd[std::min<uint32_t>(evidence.near_equal, crowd.size() - 1)];
    const int64_t beyond_chance = evidence.aligned_score - k_chance_matches * scoring.match;
    const int64_t by_length = k_phred_per_base_beyond_chance * beyond_chance / scoring.match +
                              (evidence.proper_pair ? k_phred_of_proper_mate : 0);
    quality = std::max<int64_t>(std::min(quality, by_length), 0);
    return static_cast<uint8_t>(quality < k_max_mapping_quality ? quality : k_max_mapping_quality);
}

/// The same of an alignment by itself: without a mate, and with nothing known but the best score of another
/// one.
constexpr uint8_t mapping_quality_alone(int32_t score, int32_t sub_score, const BandedSwScoring& scoring) {
    MappingEvidence evidence;
    evidence.margin = evidence.own_margin = (score - sub_score) * k_score_unit;
    evidence.aligned_score = score;
    return mapping_quality(evidence, scoring, k_crowd_penalty, k_difference_discount);
}

}  // namespace gannet::kernels
