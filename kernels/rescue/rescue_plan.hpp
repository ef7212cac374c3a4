// SPDX-License-Identifier: MIT
// Provides the host's side of the device schedule of the op rescue: the reads that windows name, and the
// collection of what the warps left. There is no CUDA in here: the backend `emulated` uses it too.
#pragma once

#include "kernels/reads/packed_reads.hpp"
#include "kernels/rescue/rescue_warps.hpp"

#include <cstdint>
#include <vector>

namespace gannet::kernels::rescue {

/// The reads of a batch that have windows, so that no others are copied to a device. Memory is kept.
class NamedReads {
  public:
    /// Lists them, and the same windows with their numbers among these.
    void take(const ReadBatchView& reads, const RescueWindows& windows);
    ReadBatchView view() const { return reads_.view(); }
    const std::vector<RescueWindow>& windows() const { return windows_; }

  private:
    PackedReads reads_;
    std::vector<RescueWindow> windows_;
};

/// What a call of the op was given; refers to the caller's.
struct RescueCall {
    const CandidateParameters& parameters;
    const GenomeView& genome;
    const ReadBatchView& reads;
    const RescueWindows& windows;
};

/// What the warps found, in the order of the windows (RescueArrays); windows that they left are done by the
/// host.
void collect(const RescueCall& call, const int64_t* diagonals, const Candidate* found,
             RescueResults& results);

}  // namespace gannet::kernels::rescue
