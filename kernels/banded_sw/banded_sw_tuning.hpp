// SPDX-License-Identifier: MIT
// Provides the tile policy of banded_sw's kernel by device and length class: speed only, never a result.
#pragma once

#include <cstdint>

namespace gannet::kernels::banded_sw {

/// What the kernels are compiled for: the maximum of threads per block, and the blocks that fit a
/// multiprocessor. That leaves 96 registers per thread, the fewest with which nothing is spilled.
inline constexpr uint32_t k_max_block_threads = 128;
inline constexpr uint32_t k_resident_blocks = 4;

struct TilePolicy {
    uint32_t warps_per_block = 1;
};

/// Warps of a block end together as seen by the scheduler, so that long jobs get small blocks, and so does a
/// pass that has fewer warps than would fill the device. Not tuned on a device yet.
constexpr TilePolicy tile_policy(int capability, uint32_t longest_rows, uint32_t groups,
                                 uint32_t multiprocessors) {
    constexpr uint32_t k_short_rows = 256;  // reads of sequencers
    constexpr uint32_t k_middle_rows = 1024;
    const uint32_t most = capability >= 90 ? 4 : 2;
    const uint32_t by_length = longest_rows <= k_short_rows ? most : (longest_rows <= k_middle_rows ? 2 : 1);
    if (groups < multiprocessors * by_length) return {1};
    return {by_length};
}

}  // namespace gannet::kernels::banded_sw
