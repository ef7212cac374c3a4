// SPDX-License-Identifier: MIT
// Provides the parameters of the aligner: everything that affects a result and is not the input.
#pragma once

#include "align/pairing/insert_size_model.hpp"
#include "kernels/banded_sw/banded_sw.hpp"

#include <cstdint>
#include <string>

namespace gannet::align {

/// Each is an option or a constant, and is written to the header of the output.
struct AlignerParameters {
    kernels::BandedSwScoring scoring;
    uint16_t band = 100;              ///< bp, of an extension; clipped to the longest gap that can pay
    int32_t minimum_score = 30;       ///< reads whose best alignment scores less are unmapped
    int32_t unpaired_penalty = 17;    ///< off the total of two reads that make no proper pair; as bwa -U
    bool hard_clip = false;           ///< supplementary records hard-clipped instead of soft-clipped
    bool split_is_secondary = false;  ///< supplementary records flagged as secondary; as bwa -M
    /// Of all lanes, where it is valid; else each lane's is estimated from its reads.
    InsertSizeModel insert_size = {};
    std::string to_text() const;  ///< "match=1 mismatch=4 ...", for headers
};

}  // namespace gannet::align
