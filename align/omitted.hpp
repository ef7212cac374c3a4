// SPDX-License-Identifier: MIT
// Provides limits to how well a read can match the positions of the reference that seeding left out.
#pragma once

#include "align/index/index.hpp"
#include "align/ungapped.hpp"
#include "align/work_state.hpp"

#include <cstdint>

namespace gannet::align {

/// The margin over what was left out where nothing was.
inline constexpr int32_t k_nothing_omitted = std::numeric_limits<int32_t>::max() / 4;

/// Records what the seeds [begin, end) of a read, whose hits are in state.hits, say of the placements that
/// they left out, if they may have left any out. Every placement of the read that no seed gave differs from
/// the read
///
///  - within the k-mer of each seed all of whose entries were used, else it would be among them;
///  - within the k-mer of each narrowed seed and the bases behind it up to the first one that the best entry
///    that was left out does not share. Nothing is known where that entry agrees up to the end of the read.
/// Seeds that were not looked up, and those without entries, say nothing.
void add_distinct_parts(ReadState& read, uint32_t begin, uint32_t end, uint32_t k,
                        AlignmentWork::State& state);

/// Compares chosen alignments with what was left out. Holds references only; cheap to make.
class OmittedPositions {
  public:
    OmittedPositions(const data::ReadBatch& batch, const Index& index, const Ungapped& ungapped,
                     AlignmentWork::State& state)
        : batch_(batch), index_(index), ungapped_(ungapped), state_(state) {}

    /// Score by which `chosen`, a candidate of `read`, exceeds every placement of the read that a limit left
    /// out, at least, in 1 / k_score_unit. k_nothing_omitted where no limit left anything out.
    ///
    /// What seeds left out has a mismatch in each of the distinct parts: the largest number of disjoint ones
    /// in which `chosen` has none counts. A diagonal that was dropped before it was compared may match as
    /// many of them as its seeds cover; the score of a candidate that was dropped is known.
    int32_t margin(const ReadState& read, const Candidate& chosen) const;

    /// Does `chosen` match the read in this part?
    bool matches(const ReadState& read, const Candidate& chosen, DistinctPart part) const;

    const data::ReadBatch& batch() const { return batch_; }
    const Index& index() const { return index_; }
    const Ungapped& ungapped() const { return ungapped_; }
    AlignmentWork::State& state() const { return state_; }

  private:
    const data::ReadBatch& batch_;
    const Index& index_;
    const Ungapped& ungapped_;
    AlignmentWork::State& state_;
};

}  // namespace gannet::align
