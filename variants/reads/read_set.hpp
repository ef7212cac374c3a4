// SPDX-License-Identifier: MIT
// Provides the reads of one window as the caller uses them: decoded, filtered, with overlapping mates linked.
#pragma once

#include "data/record.hpp"
#include "data/sequence.hpp"
#include "variants/reads/mapping_filter.hpp"
#include "variants/sample/primers.hpp"
#include "variants/sequence/read_decoding.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace gannet::variants {

/// One aligned read; offsets are into the arenas of its ReadSet.
struct CallRead {
    int64_t begin = 0;  ///< first aligned reference base
    int64_t end = 0;
    uint32_t bases = 0;
    uint32_t length = 0;
    uint32_t cigar = 0;
    uint32_t cigar_count = 0;
    uint32_t cut_left =
        0;  ///< bases of adapters and primers that were left out before the first one, and after the last
    uint32_t cut_right = 0;
    int64_t former_clip =
        -1;             ///< where it was clipped, of good bases, before GapRealigner placed these; else -1
    int32_t mate = -1;  ///< index of the mate where the two overlap on the reference, else -1
    uint64_t name_hash = 0;
    int32_t template_length = 0;
    uint16_t flags = 0;
    uint8_t mapping_quality = 0;  ///< on the scale of the caller (MappingScale)
    bool reverse = false;
    bool mate_elsewhere = false;  ///< unmapped, or on another contig
    uint32_t remote_mate = 0;     ///< number of the sequence in the set's remote_mates, from 1 on; 0: none
};

/// Where the sequence of a mate is in the arena of its ReadSet.
struct RemoteMate {
    size_t bases = 0;
    size_t length = 0;
};

/// Reads in stream order (by begin). Bases are codes, qualities Phred as a QualityMap gives them.
struct ReadSet {
    std::vector<CallRead> reads;
    std::vector<data::Base> bases;
    std::vector<uint8_t> qualities;
    std::vector<uint32_t> cigars;
    /// Qualities as they were of bases that cap_damaged_bases() and cap_qualities_after_runs() have lowered,
    /// by their place in `qualities`; of two for one place the higher one was there first.
    std::vector<std::pair<uint32_t, uint8_t>> capped;
    /// Mates that are aligned elsewhere without certainty, as R2 of their anchors has them: as they would be
    /// on the forward strand beside the anchor if both were of a usual fragment.
    std::vector<RemoteMate> remote_mates;
    std::vector<data::Base> remote_bases;
    int64_t longest_span = 0;  ///< of any read on the reference: limits the search for reads at a position

    std::span<const uint32_t> cigar(const CallRead& read) const {
        return {cigars.data() + read.cigar, read.cigar_count};
    }
    /// Empty without one.
    std::span<const data::Base> remote_mate(const CallRead& read) const {
        if (read.remote_mate == 0) return {};
        const RemoteMate& mate = remote_mates[read.remote_mate - 1];
        return {remote_bases.data() + mate.bases, mate.length};
    }
    /// Index of the first read that may overlap `position`.
    size_t first_over(int64_t position) const;
    void clear();
};

/// Replaces `set` by the usable records: those that `filter` keeps, with bases and qualities, not
/// supplementary. Where a read goes on beyond the first base of its mate, on the other strand, the rest is
/// the adapter, of which a few bases may fit the reference by chance: it is left out, and so are bases of
/// primers, clipped or not. `slots` is scratch. Linear in the bases of the records.
void load_reads(std::span<const data::RecordView> records, const MappingFilter& filter,
                const QualityMap& quality_map, const Primers& primers, ReadSet& set,
                std::vector<int32_t>& slots);

/// Sorts the reads by begin, equal ones as before, and renames the mates. In place: a deep window has many.
void sort_reads(ReadSet& set);

/// Takes the reads of these indices, ascending and with every mate, out of the set.
void remove_reads(ReadSet& set, std::span<const uint32_t> removed);

/// Depth over [begin, end) of the records that load_reads leaves out for their mapping quality.
void count_unused_depth(std::span<const data::RecordView> records, const MappingFilter& filter, int64_t begin,
                        int64_t end, std::vector<int32_t>& depth);

/// Where a reference position is in a read, as the rank-sum tests of GATK's HaplotypeCaller see it.
struct ReadPlace {
    static constexpr uint16_t k_none = UINT16_MAX;
    uint16_t end_distance =
        k_none;  ///< bases to the nearer end of the read as it was sequenced; k_none: it has none there
    uint8_t quality = 0;  ///< of the base there, as it was reported; 0 where the mate has another one
    data::Base base = data::k_base_n;
    bool mate_differs = false;
    bool exists() const { return end_distance != k_none; }
};

/// Of the base that is aligned to `position`, or would be if the clipped bases were aligned without a gap.
/// What HaplotypeCaller leaves out has no place: reads of mapping quality below 20, bases of quality below 10
/// from which on there are no others up to an end of the read, and clipped bases of reads whose fragment has
/// no known ends. Mates that have the same base there are one observation of quality 40 at most, half of it
/// each (its pcr-snv-error-qual); the qualities of those that differ become 0.
ReadPlace place_in_read(const ReadSet& set, const CallRead& read, int64_t position);

/// Offset in the read of the base aligned to reference position `position`, or -1 (deleted, or outside).
int64_t read_offset_at(const ReadSet& set, const CallRead& read, int64_t position);

}  // namespace gannet::variants
