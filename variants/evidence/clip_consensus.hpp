// SPDX-License-Identifier: MIT
// Provides the sequence that reads show together beyond a position of the reference.
#pragma once

#include "data/sequence.hpp"
#include "variants/model/alleles.hpp"
#include "variants/reads/read_set.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gannet::variants {

/// Clips of one breakpoint differ by so much, bp.
inline constexpr int64_t k_clip_spread = alleles_number("clip_spread_bp");
/// That confirm the first bases of a consensus.
inline constexpr uint32_t k_min_clip_reads = alleles_number("clip_min_reads");
inline constexpr int64_t k_min_consensus_bp = alleles_number("clip_min_consensus_bp");

/// Of a read's aligned part: where its clip is.
enum class Side : uint8_t { left = 1, right = 2 };

/// The sequence that the reads of one site continue with, beyond `position` in their direction: to the right
/// from `position` on, or to the left up to the base before it.
struct Consensus {
    int64_t position = 0;
    std::vector<data::Base> bases;  ///< left to right
    std::vector<uint32_t> weights;  ///< of each base: base qualities for it
    std::vector<uint32_t> reads;    ///< that agree with it
    bool is_confirmed = true;       ///< two reads or more have each of its first bases
    bool ends_in_doubt = false;     ///< the reads go on, but disagree
    int64_t size() const { return static_cast<int64_t>(bases.size()); }
};

/// Where the base of the read is that would be aligned to `position` if the alignment went on without gaps
/// beyond its end on `side`: offset into ReadSet::bases. None beyond the read.
std::optional<size_t> offset_beyond(const ReadSet& set, const CallRead& read, Side side, int64_t position);

/// Replaces `out` by the reads with a clip on `side` that begins within k_clip_spread of the site.
void clipped_reads(const ReadSet& set, Side side, int64_t site, std::vector<uint32_t>& out);

/// Replaces `out` by the reads that are aligned without a gap from `border` to `position` and have this base
/// there.
void ungapped_reads_with(const ReadSet& set, int64_t position, data::Base base, int64_t border,
                         std::vector<uint32_t>& out);

/// Takes from `reads` the longest clip and those that agree with it, into `out` (replaced). Returns where it
/// begins.
int64_t take_agreeing_reads(const ReadSet& set, Side side, int64_t site, std::vector<uint32_t>& reads,
                            std::vector<uint32_t>& out);

/// Column by column away from the site, as if the reads' alignments went on without gaps on that side, as
/// long as they agree. Linear in the bases of the reads.
Consensus consensus_of(const ReadSet& set, Side side, int64_t site, const std::vector<uint32_t>& reads);

}  // namespace gannet::variants
