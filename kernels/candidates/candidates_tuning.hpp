// SPDX-License-Identifier: MIT
// Provides the tile policy of the kernel of the search for candidates: speed only, never a result.
#pragma once

#include <cstdint>

namespace gannet::kernels::candidates {

/// Warps of a block. Not tuned on a device yet.
inline constexpr uint32_t k_warps_per_block = 4;
/// Blocks of a multiprocessor that the registers must leave room for; shared memory (15 kB a block) does.
inline constexpr uint32_t k_blocks_per_multiprocessor = 6;
/// Warps that work at the same time, each with scratch of its own, where memory allows: more than a device of
/// today runs at once.
inline constexpr uint32_t k_max_warps = 4096;

}  // namespace gannet::kernels::candidates
