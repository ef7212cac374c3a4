// SPDX-License-Identifier: MIT
// Provides the work object of the aligner: all that one batch in flight holds between the steps.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace gannet::align {

/// Reused from batch to batch. `state` belongs to the aligner (align/work_state.hpp).
class AlignmentWork {
  public:
    AlignmentWork();
    ~AlignmentWork();
    AlignmentWork(AlignmentWork&&) noexcept;
    AlignmentWork& operator=(AlignmentWork&&) noexcept;

    std::vector<kernels::ExtensionJob> jobs;  ///< of the next round of banded_sw
    kernels::BandedSwResults results;         ///< of the last one

    /// Reads that the ops find_candidates and pairing have given results of: all of the batch, or a batch was
    /// lost.
    size_t searched_reads() const;
    size_t placed_reads() const;

    struct State;
    std::unique_ptr<State> state;
};

}  // namespace gannet::align
