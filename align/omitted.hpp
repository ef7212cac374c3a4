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
