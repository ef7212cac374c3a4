// SPDX-License-Identifier: MIT
// Provides a CUDA runtime without a device, for tests of the wrappers in kernels/cuda and of the ops' shells.
//
// It defines the functions of the runtime that they call, so that a test program that links it takes these.
// What is enqueued on a stream is done only when something waits for it, in order; what throws an exception
// then is the device's lasting fault. New memory holds garbage.
// Copies, clears and launches are refused (cudaErrorInvalidValue, cudaErrorInvalidResourceHandle) where the
// bytes are not all in one block of the kind of memory that the call says, or the stream, the memory and the
// device that is selected do not belong together. Streams may be used by several threads, as ops do. A kernel
// is what FakeCudaRuntime::kernels has for its name (fake_kernels.hpp); one that nvcc has not compiled is a
// function of the host that takes one pointer, and launching it enqueues the call. Memory of the caller's own
// must be mapped when it is registered, and still be so when it is not any more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace gannet::tests {

struct FakeLaunch {
    std::string kernel;  ///< with template arguments and parameters
    uint32_t blocks = 0;
    uint32_t threads = 0;       ///< per block
    uint64_t shared_bytes = 0;  ///< dynamic, per block
    void** arguments = nullptr;

    template <class T>
    const T& argument(size_t index) const {
        return *static_cast<const T*>(arguments[index]);
    }
};

/// Takes the arguments of a launch; what it returns is done when the launch's turn comes.
using FakeKernel = std::function<std::function<void()>(const FakeLaunch&)>;

/// Is told of the device's memory, so that it can check what kernels do there. Copies and clears count when
/// they are done.
class FakeMemoryWatch {
  public:
    virtual ~FakeMemoryWatch() = default;
    virtual void allocated(const void* memory, uint64_t bytes) = 0;
    virtual void freed(const void* memory) = 0;
    virtual void written(const void* memory, uint64_t bytes) = 0;
    virtual void read(const void* memory, uint64_t bytes) = 0;
};

/// An error (cudaError_t) of a call, after so many that succeed.
struct FakeFailure {
    int error = 0;
    int after = 0;
};

/// How long calls take, by sleeping.
struct FakeDelays {
    double driver_ms = 0;   ///< the process's first call
    double context_ms = 0;  ///< the first choice of each device
    double host_alloc_ms_per_mb = 0;
    double register_ms_per_mb = 0;
};

struct FakeCudaRuntime {
    int enqueued = 0;     ///< copies, clears and launches so far
    int allocations = 0;  ///< of the device and of pinned memory, registered memory included
    int blocks = 0;       ///< of both, that have not been freed
    int registered = 0;   ///< of these, memory of the caller's own
    int streams = 0;      ///< that have not been destroyed
    int events = 0;
    std::string fault;          ///< of a kernel or a copy, which threw it: all calls fail afterwards
    int refused = 0;            ///< copies, clears and launches that made no sense
    int overruns = 0;           ///< blocks behind whose end something had been written when they were freed
    int64_t device_cpu_ns = 0;  ///< of the host's threads in what a device would do
    uint64_t to_device_bytes = 0;
    uint64_t from_device_bytes = 0;
    uint64_t largest_block = UINT64_MAX;  ///< of the device
    /// Of a function's next call, or of a later one, once.
    std::map<std::string, FakeFailure> fails;
    /// By qualified name, without template arguments.
    std::map<std::string, FakeKernel> kernels;
    FakeKernel any_kernel;             ///< those that `kernels` does not have
    FakeMemoryWatch* watch = nullptr;  ///< of its devices, from their first allocation on
    int major = 9;                     ///< compute capability of its devices
    bool has_devices = true;           ///< two
    FakeDelays delays;
};

FakeCudaRuntime& fake_cuda_runtime();

}  // namespace gannet::tests
