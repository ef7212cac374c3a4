// SPDX-License-Identifier: MIT
// Provides the tile policy of the kernel of the op pairing: speed only, never a result.
#pragma once

#include <cstdint>

namespace gannet::kernels::pairing {

/// Warps of a block. Not tuned on a device yet.
inline constexpr uint32_t k_warps_per_block = 4;
/// At least, on a multiprocessor. Without a number the assembler spills registers to have more.
inline constexpr uint32_t k_resident_blocks = 4;
/// Templates of which a read has more candidates within reach are done by a warp, others by a lane. Not tuned
/// on a device yet.
inline constexpr uint32_t k_lane_candidates = 4;

}  // namespace gannet::kernels::pairing
