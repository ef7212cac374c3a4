// SPDX-License-Identifier: MIT
// Provides the tile policy of the kernel of pair_hmm: speed only, never a result. Not tuned on a device yet.
#pragma once

#include <cstdint>

namespace gannet::kernels::pair_hmm {

inline constexpr uint32_t k_warps_per_block = 4;
/// Blocks of a multiprocessor that the registers must leave room for.
inline constexpr uint32_t k_blocks_per_multiprocessor = 4;
/// Warps that work at the same time, each with scratch of its own, where memory allows.
inline constexpr uint32_t k_max_warps = 4096;

}  // namespace gannet::kernels::pair_hmm
