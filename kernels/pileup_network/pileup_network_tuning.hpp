// SPDX-License-Identifier: MIT
// Provides the tile policy of pileup_network's kernels: speed only, never a result.
#pragma once

#include <cstdint>

namespace gannet::kernels::pileup {

/// Warps of a block, which read the same weights from the first-level cache. Not tuned on a device yet.
inline constexpr uint32_t k_warps_per_block = 4;

}  // namespace gannet::kernels::pileup
