// SPDX-License-Identifier: MIT
// Provides the contract of the op banded_sw: affine-gap extension of many query/target pairs from a fixed
// corner.
#pragma once

#include "kernels/stream.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::kernels {

/// Scores; penalties are positive. A gap of length g costs gap_open + g * gap_extend (as bwa: "6,1" makes a
/// gap of one cost 7).
struct BandedSwScoring {
    int32_t match = 1;
    int32_t mismatch = 4;   ///< also against code 4 (N): ambiguous scores -1 as in bwa
    int32_t ambiguous = 1;  ///< penalty of any pair that holds a code >= 4
    int32_t gap_open = 6;
    int32_t gap_extend = 1;
    int32_t end_bonus = 5;  ///< added where the alignment consumes the whole query
};

enum BandedSwFlag : uint8_t {
    k_sw_traceback = 1,  ///< also give the CIGAR
    k_sw_gaps_late =
        2  ///< place gaps as far from the corner as score allows (sequences given reversed), else as near
};

/// Jobs, structure of arrays: plain offsets, lengths and bases that can be copied to a device as they are.
/// Job k extends query bases [query_offset[k], +query_length[k]) along target bases [target_offset[k],
/// +target_length[k]), codes 0-4, both from the corner (0,0): the cell after the seed's end. To extend to the
/// left, give both reversed. Ranges: lengths 0..4096; band 1..1024; scores such that match * 4096 and all
/// penalties fit the 16-bit paths (the op widens where they do not).
struct BandedSwBatch {
    std::vector<uint8_t> bases;  ///< arena of both queries and targets
    std::vector<uint32_t> query_offset;
    std::vector<uint32_t> query_length;
    std::vector<uint32_t> target_offset;
    std::vector<uint32_t> target_length;
    std::vector<uint16_t> band;  ///< cells with |i - j| > band are never entered
    std::vector<uint8_t> flags;  ///< BandedSwFlag

    size_t size() const { return query_offset.size(); }
    void clear();
    /// Appends both sequences to the arena and the job to the lists; returns the job's index.
    uint32_t add(std::span<const uint8_t> query, std::span<const uint8_t> target, uint16_t band_width,
                 uint8_t flag);
};

/// Results, one a job. score: the best over all cells of H(i,j) - with the end bonus where i is the whole
/// query, and where consuming the whole query with the bonus is at least as good as the best without, the end
/// is at the query's end
/// (`to_end` = 1, and score excludes the bonus, as bwa reports AS). The empty extension scores 0 at (0,0).
/// Ties: whole query first, then smallest i + j, then smallest j. H follows Gotoh 1982 with gaps that may be
/// adjacent (I next to D allowed); no drop-off, no clamping at 0.
struct BandedSwResults {
    std::vector<int32_t> score;
    std::vector<uint32_t> query_end;
    std::vector<uint32_t> target_end;
    std::vector<uint8_t> to_end;
    std::vector<uint32_t> cigar_offset;  ///< jobs + 1; empty range without k_sw_traceback
    std::vector<uint32_t> cigar;         ///< BAM elements (M I D only), from the corner outwards
};

/// Determinism class: exact-int. Cost: query_length * (2 * band + 1) cells a job.
using BandedSwFunction = void (*)(Stream&, const BandedSwScoring&, const BandedSwBatch&, BandedSwResults&);

}  // namespace gannet::kernels
