// SPDX-License-Identifier: MIT
// Provides the complete program on a CUDA runtime without a device: all that it does for one, but the
// device's own code. At the end it says on standard error what the runtime saw, and the CPU seconds of what
// a device would have done, as the simulated device does (tests/support/fake_device.cpp).
// GANNET_FAKE_CUDA=driver,context,alloc,register makes its calls take as long as a device's: milliseconds for
// the first call and for a device's context, and per MB of pinned memory that is allocated or registered;
// "none" instead: the driver shows no device.
#include "tests/unit/kernels/cuda/fake_kernels.hpp"
#include "tests/unit/kernels/cuda/fake_runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

class FakeProgram {
  public:
    FakeProgram() {
        gannet::tests::add_fake_kernels();
        std::at_quick_exit(report);
        const char* const given = std::getenv("GANNET_FAKE_CUDA");
        if (given == nullptr) return;
        gannet::tests::FakeCudaRuntime& runtime = gannet::tests::fake_cuda_runtime();
        runtime.has_devices = std::strcmp(given, "none") != 0;
        gannet::tests::FakeDelays& delays = runtime.delays;
        if (runtime.has_devices &&
            std::sscanf(given, "%lf,%lf,%lf,%lf", &delays.driver_ms, &delays.context_ms,
                        &delays.host_alloc_ms_per_mb, &delays.register_ms_per_mb) != 4) {
            std::fprintf(stderr, "GANNET_FAKE_CUDA=%s is not four numbers\n", given);
            std::abort();
        }
    }
    FakeProgram(const FakeProgram&) = delete;
    FakeProgram& operator=(const FakeProgram&) = delete;
    ~FakeProgram() { report(); }

  private:
    static void report() {
        const gannet::tests::FakeCudaRuntime& runtime = gannet::tests::fake_cuda_runtime();
        std::fprintf(stderr, "fake CUDA runtime: %d enqueued, %d refused, %d overruns, %d blocks left\n",
                     runtime.enqueued, runtime.refused, runtime.overruns, runtime.blocks);
        std::fprintf(stderr, "fake device: %.3f CPU s\n", 1e-9 * static_cast<double>(runtime.device_cpu_ns));
    }
};

const FakeProgram program;

}  // namespace
