// SPDX-License-Identifier: MIT
// Provides what the parts of the counting share of one record. Internal to qc/.
#pragma once

#include "pipeline/qc/read_counter.hpp"
#include "pipeline/qc/word_counts.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace gannet::pipeline::qc {

/// A record with what its CIGAR and tags say; valid while the record is.
struct ReadCounter::Read {
    /// `flags`: the final ones, with duplicates marked.
    Read(const data::RecordView& of, uint16_t flags);

    bool has(uint16_t flags) const { return (flag & flags) != 0; }
    bool is_mapped_pair() const {
        return has(data::k_flag_paired) && !has(data::k_flag_unmapped | data::k_flag_mate_unmapped);
    }
    /// Of a pair on one contig, by the 5' ends as htsjdk computes them.
    Orientation orientation() const;
    int64_t reference_span() const { return span; }
    uint32_t equal_unknown() const;  ///< bases
    /// How many bases FastQC looks at for the GC content: whole hundreds or thousands.
    uint32_t start_length() const;
    bool has_unknown() const { return start.unknown + rest.unknown > 0; }

    const data::RecordView record;
    const uint16_t flag;
    const int32_t contig;
    const int32_t position;
    const uint32_t length;
    ReadTags tags;
    uint32_t matched = 0;  ///< bases under M, = and X
    uint32_t inserted = 0;
    uint32_t hard_clipped = 0;
    uint32_t soft_clipped = 0;
    uint32_t indels = 0;  ///< elements
    int64_t span = 0;     ///< of the reference
    BaseSums start;       ///< of the first start_length() bases that were read
    BaseSums rest;        ///< of the others
};

/// Intervals under M, = and X, from the record's position on. Returns whether the CIGAR is one element.
using Blocks = std::vector<std::pair<uint32_t, uint32_t>>;
bool list_blocks(const data::RecordView& record, Blocks& blocks);
bool list_blocks(std::string_view cigar, Blocks& blocks);

}  // namespace gannet::pipeline::qc
