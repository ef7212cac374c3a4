// SPDX-License-Identifier: MIT
// Provides the complete program on a CUDA runtime without a device: all that it does for one, but the
// device's own code. At the end it says on standard error what the runtime saw, and the CPU seconds of what
// a device would have done, as the simulated device does (tests/support/fake_device.cpp).
#include "tests/unit/kernels/cuda/fake_kernels.hpp"
#include "tests/unit/kernels/cuda/fake_runtime.hpp"

#include <cstdio>

namespace {

class FakeProgram {
  public:
    FakeProgram() { gannet::tests::add_fake_kernels(); }
    FakeProgram(const FakeProgram&) = delete;
    FakeProgram& operator=(const FakeProgram&) = delete;
    ~FakeProgram() {
        const gannet::tests::FakeCudaRuntime& runtime = gannet::tests::fake_cuda_runtime();
        std::fprintf(stderr, "fake CUDA runtime: %d enqueued, %d refused, %d overruns, %d blocks left\n",
                     runtime.enqueued, runtime.refused, runtime.overruns, runtime.blocks);
        std::fprintf(stderr, "fake device: %.3f CPU s\n", 1e-9 * static_cast<double>(runtime.device_cpu_ns));
    }
};

const FakeProgram program;

}  // namespace
