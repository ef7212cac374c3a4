// SPDX-License-Identifier: MIT
// Provides the tile policy of the kernel of the op inflate: speed only, never a result. Not tuned on a device
// yet.
#pragma once

#include <cstdint>

namespace gannet::kernels::inflate {

/// Warps of a block; each has 7 kB of shared memory. With one, few streams are spread over all
/// multiprocessors, and a block ends with its stream.
inline constexpr uint32_t k_warps_per_block = 1;
/// Bits that are looked up at once: of words of literals and lengths, and of distances. Longer words are
/// rare.
inline constexpr uint32_t k_literal_table_bits = 10;
inline constexpr uint32_t k_distance_table_bits = 8;

}  // namespace gannet::kernels::inflate
