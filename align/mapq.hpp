// SPDX-License-Identifier: MIT
// Provides mapping qualities from the scores of the chosen place and of what it was chosen over.
#pragma once

#include <cstdint>

namespace gannet::align {

/// What a mapping quality is made of. Scores in 1/16 units (k_score_unit).
struct PlacementEvidence {
    int32_t margin = 0;       ///< best total (of the pair) minus the best one with this read elsewhere
    int32_t own_margin = 0;   ///< the read's score here minus its best elsewhere; negative if that is better
    int32_t loss = 0;         ///< what the reads of the template lack to a perfect match there
    uint32_t near_equal = 0;  ///< other places within a mismatch of the best total
    int32_t aligned_score = 0;  ///< score of the alignment, in whole units
    bool crowded = false;       ///< not all places were kept
    bool paired = false;        ///< the mate's place supports it
};

/// 0 to 60, -10 log10 of the chance that the place is wrong as far as other known places explain it; integers
/// only.
uint8_t mapping_quality(const PlacementEvidence& evidence);

}  // namespace gannet::align
