// SPDX-License-Identifier: MIT
// Provides the shape of a kernel's launch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace gannet::kernels::cuda {

struct LaunchShape {
    uint32_t blocks = 0;
    uint32_t threads = 0;     ///< per block, a multiple of 32
    size_t shared_bytes = 0;  ///< dynamic, per block
};

/// Blocks that hold `warps` at `each` per block. Throws std::length_error, which names the op, where the
/// threads of all could not be numbered with 32 bits, as kernels do.
inline uint32_t blocks_for(const char* op, uint64_t warps, uint32_t each) {
    constexpr uint64_t k_warp_threads = 32;
    constexpr uint64_t k_max_warps = UINT32_MAX / k_warp_threads;
    if (warps > k_max_warps - each)
        throw std::length_error(std::string(op) + ": a launch of " + std::to_string(warps) +
                                " warps; a batch may need " + std::to_string(k_max_warps - each));
    return static_cast<uint32_t>((warps + each - 1) / each);
}

/// As many of the blocks as have `each` bytes of scratch: their warps take further work when they are done.
inline uint32_t blocks_within(uint32_t blocks, uint64_t scratch_bytes, uint64_t each) {
    if (each == 0) return blocks;
    return static_cast<uint32_t>(std::min<uint64_t>(blocks, scratch_bytes / each));
}

}  // namespace gannet::kernels::cuda
