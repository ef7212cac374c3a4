// SPDX-License-Identifier: MIT
// Provides mapping qualities from the score of the chosen alignment and of those it was chosen over.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"

#include <cstdint>

namespace gannet::align {

/// What a mapping quality is made of. Margins and losses in 1 / k_score_unit of a score unit.
struct MappingEvidence {
    int32_t margin = 0;       ///< best total (of the pair) minus the best one with this read elsewhere
    int32_t own_margin = 0;   ///< the read's score here minus its best elsewhere; negative if that is better
    int32_t loss = 0;         ///< what the reads of the template lack to a perfect match there, clips limited
    uint32_t near_equal = 0;  ///< other candidates whose total is within a mismatch of the best
    int32_t aligned_score = 0;  ///< score of the alignment, in score units
    bool proper_pair = false;   ///< the mate makes a proper pair with it
};

/// 0 to 60: -10 log10 of the chance that the alignment is wrong, as far as the known candidates explain it.
/// Integers only. 0 without a margin. Else the margin in Phred, less a term for the loss, but no more than
/// the read's own margin in Phred plus 40; less a term for the near-equal candidates; limited for short
/// alignments. A margin of a mismatch gives the same quality with every `scoring`.
uint8_t mapping_quality(const MappingEvidence& evidence, const kernels::BandedSwScoring& scoring);

}  // namespace gannet::align
