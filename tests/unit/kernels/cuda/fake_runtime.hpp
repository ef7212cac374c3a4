// SPDX-License-Identifier: MIT
// Provides a CUDA runtime without a device, for tests of the wrappers in kernels/cuda.
//
// It defines the functions of the runtime that they call, so that a test program that links it takes these.
// What is enqueued on a stream is done only when something waits for it, in order. A kernel is a function of
// the host that takes one pointer; launching it enqueues the call.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gannet::tests {

struct FakeCudaRuntime {
    int enqueued = 0;     ///< copies, clears and launches so far
    int allocations = 0;  ///< of the device and of pinned memory
    int blocks = 0;       ///< of both, that have not been freed
    int streams = 0;      ///< that have not been destroyed
    int events = 0;
    uint64_t largest_block = UINT64_MAX;  ///< of the device
    /// Function -> error (cudaError_t) of its next call.
    std::map<std::string, int> fails;
};

FakeCudaRuntime& fake_cuda_runtime();

}  // namespace gannet::tests
