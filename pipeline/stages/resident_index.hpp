// SPDX-License-Identifier: MIT
// Provides the decision whether the aligner's ops run on the devices, for which index
// and reference have to fit into the memory of each.
#pragma once

#include "align/aligner.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/op_table.hpp"
#include "kernels/resident.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gannet::pipeline::stages {

/// What a device would hold.
struct ResidentPlan {
    uint64_t index_bytes = 0;    ///< index and reference, on every device
    uint64_t streams_bytes = 0;  ///< that the streams of a device must have beside them
    uint64_t usable_bytes = 0;   ///< of the device
    bool fits() const { return index_bytes + streams_bytes <= usable_bytes; }
};

/// `slots`: batches in flight, which the devices in use share. Throws DeviceUnfit.
ResidentPlan plan_resident(const kernels::cuda::DeviceInfo& device, const align::Aligner& aligner,
                           size_t slots, uint64_t batch_bases);

/// Index and reference on every device in use for as long as it lives, where they fit on all of them. Where
/// they do not, the log says how much is missing, and the ops that need them are the host's. To be made
/// before the first stream. Throws DeviceUnfit.
class ResidentIndex {
  public:
    ResidentIndex(const kernels::OpTable& ops, const align::Aligner& aligner, size_t slots,
                  uint64_t batch_bases);
    /// What the aligner is to run.
    const kernels::OpTable& ops() const { return ops_; }

  private:
    std::unique_ptr<kernels::Resident> resident_;
    kernels::OpTable ops_;
};

}  // namespace gannet::pipeline::stages
