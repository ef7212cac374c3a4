// SPDX-License-Identifier: MIT
// Provides the host's side of the device schedule of the op pairing: the reads whose bases it needs. There is
// no CUDA in here: the backend `emulated` uses it too.
#pragma once

#include "kernels/pairing/pairing_warps.hpp"
#include "kernels/reads/packed_reads.hpp"

#include <cstdint>
#include <vector>

namespace gannet::kernels::pairing {

/// The reads of a batch whose parts are compared (needs_parts), so that the bases of no others are copied to
/// a device. Memory is kept.
class ComparedReads {
  public:
    void take(const ReadBatchView& reads, const PairingBatch& batch);
    /// Paired as the batch is, but of these reads.
    ReadBatchView view() const { return reads_.view(); }
    /// Of each read of the batch, its number among these; of others 0.
    const std::vector<uint32_t>& numbers() const { return numbers_; }

  private:
    PackedReads reads_;
    std::vector<uint32_t> numbers_;
};

}  // namespace gannet::kernels::pairing
