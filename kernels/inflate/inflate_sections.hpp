// SPDX-License-Identifier: MIT
// Provides where the arrays of a batch of the op inflate lie in the memory of a device, and in the pinned
// memory that is copied to and from it.
#pragma once

#include "kernels/cuda/layout.hpp"
#include "kernels/inflate/inflate_plan.hpp"

#include <cstdint>

namespace gannet::kernels::inflate {

/// Inputs are bytes [0, input_bytes), results [input_bytes, bytes).
struct BatchSections {
    cuda::Section<uint32_t> words;
    cuda::Section<BlockPlace> blocks;
    cuda::Section<uint32_t> statuses, out;
    uint64_t input_bytes = 0;
    uint64_t bytes = 0;

    explicit BatchSections(const WarpPlan& plan)
        : BatchSections(plan.blocks().size(), plan.words(), plan.out_words()) {}
    /// Of `count` blocks with so many words.
    BatchSections(uint64_t count, uint64_t stream_words, uint64_t out_words) {
        cuda::Layout layout;
        words = layout.add<uint32_t>(stream_words);
        blocks = layout.add<BlockPlace>(count);
        input_bytes = layout.bytes();
        statuses = layout.add<uint32_t>(count);
        out = layout.add<uint32_t>(out_words);
        bytes = layout.bytes();
    }

    InflateArrays in(void* block) const {
        return {words.in(block),
                blocks.in(block),
                static_cast<uint32_t>(blocks.count),
                statuses.in(block),
                reinterpret_cast<uint8_t*>(out.in(block)),
                out.in(block)};
    }
};

}  // namespace gannet::kernels::inflate
