// SPDX-License-Identifier: MIT
// Provides the tile policy of the kernels of the op rescue: speed only, never a result.
#pragma once

#include <cstdint>

namespace gannet::kernels::rescue {

/// Warps of a block. Not tuned on a device yet.
inline constexpr uint32_t k_warps_per_block = 4;
/// At least, of the comparison, on a multiprocessor. Without a number the assembler spills registers to have
/// more.
inline constexpr uint32_t k_resident_blocks = 4;

}  // namespace gannet::kernels::rescue
