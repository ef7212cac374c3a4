// SPDX-License-Identifier: MIT
// Provides the checked launch of a kernel; only for .cu files.
#pragma once

#include "kernels/cuda/stream.hpp"

#include <cstdint>

namespace gannet::kernels::cuda {

struct LaunchShape {
    uint32_t blocks = 0;
    uint32_t threads = 0;     ///< per block, a multiple of 32
    size_t shared_bytes = 0;  ///< dynamic, per block
};

/// Blocks that hold `items` at `each` per block.
constexpr uint32_t blocks_for(uint64_t items, uint32_t each) {
    return static_cast<uint32_t>((items + each - 1) / each);
}

/// Enqueues `kernel` with arguments of exactly its parameters' types after conversion. No blocks: no launch.
template <class... Parameters, class... Arguments>
void launch(const Work& work, LaunchShape shape, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments));
    if (shape.blocks == 0) return;
    const auto enqueue = [&](Parameters... values) {
        void* pointers[] = {const_cast<void*>(static_cast<const void*>(&values))...};
        check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(shape.blocks), dim3(shape.threads),
                               pointers, shape.shared_bytes, work.stream().native()),
              work.op());
    };
    enqueue(static_cast<Parameters>(arguments)...);
}

}  // namespace gannet::kernels::cuda
