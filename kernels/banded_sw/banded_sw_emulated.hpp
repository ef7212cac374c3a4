// SPDX-License-Identifier: MIT
// Provides what a warp of the device's kernels does, on the host.
#pragma once

#include "kernels/banded_sw/banded_sw_warps.hpp"

namespace gannet::kernels::banded_sw::emulated {

/// Extends the jobs of a group, in words or in halves as it has them. The group's scratch begins on a
/// multiple of 128 bytes.
void run_group(const WarpBatch& batch, const WarpGroup& group);

}  // namespace gannet::kernels::banded_sw::emulated
