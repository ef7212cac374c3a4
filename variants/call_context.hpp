// SPDX-License-Identifier: MIT
// Provides what the steps of calling share: the reference, the parameters, the sample, and where calls are
// wanted.
#pragma once

#include "data/regions.hpp"
#include "variants/parameters.hpp"
#include "variants/records/record.hpp"
#include "variants/sample/ploidy.hpp"

#include <cstdint>

namespace gannet::variants {

struct CallContext : CallModel {
    const ScoringParameters& scoring;
    const data::RegionSet& targets;  ///< empty: everything
    const PloidyMap& ploidy;
    const BlockParameters& blocks;
    bool keeps_traces = false;  ///< of sites that the scorer has seen, for Caller::set_views

    bool is_in_targets(const data::Region& window, int64_t position) const {
        return targets.empty() || targets.contains(window.contig, position);
    }
    /// Whether a record at the position is of the window, and the sample has copies of it. One outside the
    /// targets is called too, since the phase of others may depend on it, but not written.
    bool is_called_by(const data::Region& window, int64_t position) const {
        return position >= window.begin && position < window.end && ploidy.at(window.contig, position) > 0 &&
               (!scoring.examples_only || is_in_targets(window, position));
    }
    /// Whether anything in [begin, end) is wanted: with reference blocks, of which those of a window do not
    /// depend on the shard, more than what is written.
    bool is_wanted(const data::Region& window, int64_t begin, int64_t end) const {
        const data::RegionSet& wanted = blocks.enabled ? blocks.bounds : targets;
        return wanted.empty() || wanted.overlaps(window.contig, begin, end);
    }
    /// Whether a record of [begin, end), which an earlier window calls, takes positions from the window's
    /// blocks.
    bool reaches_into_blocks(const data::Region& window, int64_t begin, int64_t end) const {
        return blocks.enabled && begin < window.begin && end > window.begin &&
               ploidy.at(window.contig, begin) > 0;
    }
};

}  // namespace gannet::variants
