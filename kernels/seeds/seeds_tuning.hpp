// SPDX-License-Identifier: MIT
// Provides the tile policy of the kernel of seeding: speed only, never a result. Not tuned on a device yet.
#pragma once

#include <cstdint>

namespace gannet::kernels::seeds {

inline constexpr uint32_t k_warps_per_block = 4;
/// On a multiprocessor at the same time: 48 registers per thread are enough to spill none, and 40 warps hide
/// the look-ups of each other.
inline constexpr uint32_t k_blocks_per_multiprocessor = 10;
/// The seeds of a block's warps are in shared memory where they take no more than this: reads of 276 bases
/// with k = 21. Else in the device's memory, for so many warps at most.
inline constexpr uint64_t k_max_shared_bytes = 40 << 10;
inline constexpr uint32_t k_max_warps = 8192;
/// Room for hits, of the average read of a batch, and for some reads of repeats.
inline constexpr uint32_t k_device_hits_per_read = 64;
inline constexpr uint32_t k_device_spare_hits = 4096;

}  // namespace gannet::kernels::seeds
