// SPDX-License-Identifier: MIT
// Provides the scale from score margins to Phred.
#include "align/mapq.hpp"

#include "align/work.hpp"

#include <algorithm>
#include <array>

namespace gannet::align {
namespace {

/// Phred per score unit: a read that fits another place with one mismatch more (5 units) is wrong there
/// about once in 170 times.
constexpr int32_t k_phred_per_ten_units = 45;
/// What each mismatch at the chosen place takes off.
constexpr int32_t k_phred_per_mismatch = 4;
/// A chance to be wrong that no margin excludes: places that no seed found.
constexpr int32_t k_highest = 60;

/// round(10 log10(n)) for n = 1..16.
constexpr std::array<int32_t, 17> k_crowd_penalty{0, 0, 3, 5, 6, 7, 8, 8, 9, 10, 10, 10, 11, 11, 11, 12, 12};

int32_t to_phred(int32_t margin) { return margin * k_phred_per_ten_units / (10 * k_score_unit); }

}  // namespace

uint8_t mapping_quality(const PlacementEvidence& evidence) {
    int32_t quality = to_phred(evidence.margin);
    if (evidence.margin <= 0) return 0;
    // Reads that fit nowhere well may come from a place that the reference lacks or has changed: the more
    // they differ from the best place, the less a small margin over the next one says.
    quality -= evidence.loss * k_phred_per_mismatch / (5 * k_score_unit);
    // Pairing alone never makes a read certain.
    quality = std::min(quality, std::max(0, to_phred(evidence.own_margin)) + 40);
    quality -= k_crowd_penalty[std::min<size_t>(evidence.near_equal, k_crowd_penalty.size() - 1)];
    // Short alignments fit many places by chance.
    const int32_t by_length = 2 * (evidence.aligned_score - 20) + (evidence.paired ? 20 : 0);
    quality = std::min({quality, by_length, k_highest});
    if (evidence.crowded) quality = std::min(quality, 40);
    return static_cast<uint8_t>(std::max(quality, 0));
}

}  // namespace gannet::align
