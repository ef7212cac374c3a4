// SPDX-License-Identifier: MIT
// Provides the parameters of the aligner: everything that affects a result and is not the input.
#pragma once

#include "align/insert_size_model.hpp"
#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/pairing/pairing_policy.hpp"

#include <cstdint>
#include <string>

namespace gannet::align {

/// Longer reads are left unmapped: it is the longest query of banded_sw.
inline constexpr uint32_t k_max_read_bp = kernels::k_banded_sw_max_query;

/// Highest score of a match: with it, the default penalties multiplied by it are still within the ranges of
/// banded_sw, and scores of the longest reads within 32 bits.
inline constexpr int32_t k_max_match_score = 100;

/// A primary alignment of this mapping quality or more, in no proper pair, carries the sequence of a mate
/// that has a lower one (R2): only this record tells where that sequence is from.
inline constexpr uint8_t k_min_anchor_mapping_quality = 30;

/// Each is an option or a constant, and is written to the header of the output. An N costs 1 whatever the
/// other scores are, as in bwa mem.
struct AlignerParameters {
    kernels::BandedSwScoring scoring;
    uint16_t band = 100;  ///< bp, of an extension; clipped to the longest gap that can pay
    /// Reads whose best alignment scores less are unmapped.
    kernels::MinimumScore minimum_score;
    /// Off the total of two reads that make no proper pair; as bwa -U.
    int32_t unpaired_penalty = kernels::k_default_unpaired_penalty;
    bool hard_clip = false;           ///< supplementary records hard-clipped instead of soft-clipped
    bool split_is_secondary = false;  ///< supplementary records flagged as secondary; as bwa -M
    bool trim_adapters = false;       ///< of pairs, before they are aligned (trim_adapters.hpp)
    /// Of all lanes, where it is valid; else each lane's is estimated from its reads.
    InsertSizeModel insert_size = {};
    int32_t minimum_score_of(uint32_t read_bp) const { return minimum_score.of(read_bp, scoring.match); }
    std::string to_text() const;  ///< "match=1 mismatch=4 ...", for headers
};

}  // namespace gannet::align
