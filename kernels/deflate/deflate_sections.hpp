// SPDX-License-Identifier: MIT
// Provides where the arrays of a batch of the op deflate lie in the memory of a device, and in the pinned
// memory that is copied to and from it.
#pragma once

#include "kernels/cuda/layout.hpp"
#include "kernels/deflate/deflate_plan.hpp"
#include "kernels/deflate/deflate_tuning.hpp"

#include <algorithm>
#include <cstdint>

namespace gannet::kernels::deflate {

/// Inputs are bytes [0, input_bytes), results [input_bytes, bytes); a device's scratch lies behind them.
struct BatchSections {
    cuda::Section<uint64_t> words;
    cuda::Section<BlockPlace> blocks;
    cuda::Section<uint32_t> stream_bytes, streams;
    uint64_t input_bytes = 0;
    uint64_t bytes = 0;

    explicit BatchSections(const WarpPlan& plan)
        : BatchSections(plan.blocks().size(), plan.words(), plan.stream_words()) {}
    /// Of `count` blocks with so many words.
    BatchSections(uint64_t count, uint64_t block_words, uint64_t stream_words) {
        cuda::Layout layout;
        words = layout.add<uint64_t>(block_words);
        blocks = layout.add<BlockPlace>(count);
        input_bytes = layout.bytes();
        stream_bytes = layout.add<uint32_t>(count);
        streams = layout.add<uint32_t>(stream_words);
        bytes = layout.bytes();
    }

    DeflateArrays in(void* block) const {
        return {words.in(block), blocks.in(block), static_cast<uint32_t>(blocks.count),
                stream_bytes.in(block), streams.in(block)};
    }
};

/// Of a block of warps.
inline constexpr uint64_t k_block_scratch_bytes = k_warps_per_block * sizeof(WarpScratch);
/// Of a batch with so many blocks of bytes.
inline uint64_t wanted_scratch_bytes(uint64_t blocks) {
    const uint64_t wanted = (blocks + k_warps_per_block - 1) / k_warps_per_block;
    return std::min<uint64_t>(wanted, k_max_warps / k_warps_per_block) * k_block_scratch_bytes;
}

}  // namespace gannet::kernels::deflate
