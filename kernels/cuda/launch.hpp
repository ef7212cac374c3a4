// SPDX-License-Identifier: MIT
// Provides the checked launch of a kernel; only for .cu files.
#pragma once

#include "kernels/cuda/launch_shape.hpp"
#include "kernels/cuda/stream.hpp"

namespace gannet::kernels::cuda {

/// Enqueues `kernel` with arguments of exactly its parameters' types after conversion. No blocks: no launch.
template <class... Parameters, class... Arguments>
void launch(const Queue& queue, LaunchShape shape, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments));
    if (shape.blocks == 0) return;
    const auto enqueue = [&](Parameters... values) {
        void* pointers[] = {const_cast<void*>(static_cast<const void*>(&values))...};
        check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(shape.blocks), dim3(shape.threads),
                               pointers, shape.shared_bytes, queue.native()),
              queue.op());
    };
    enqueue(static_cast<Parameters>(arguments)...);
}

}  // namespace gannet::kernels::cuda
