// SPDX-License-Identifier: MIT
// Provides the tile policy of the kernel of the op deflate: speed only, never a result. Not tuned on a device
// yet.
#pragma once

#include <cstdint>

namespace gannet::kernels::deflate {

/// Warps of a block; each has 20 kB of shared memory.
inline constexpr uint32_t k_warps_per_block = 2;
/// Warps that work at the same time, each with scratch of its own, where memory allows.
inline constexpr uint32_t k_max_warps = 2048;

}  // namespace gannet::kernels::deflate
