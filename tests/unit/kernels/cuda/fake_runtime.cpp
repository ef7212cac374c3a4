// SPDX-License-Identifier: MIT
// Provides a CUDA runtime without a device.
#include "tests/unit/kernels/cuda/fake_runtime.hpp"

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>

namespace {

using gannet::tests::fake_cuda_runtime;

struct FakeStream {
    std::deque<std::function<void()>> tasks;
};

struct FakeEvent {
    FakeStream* stream = nullptr;
    bool done = true;
    std::chrono::steady_clock::time_point time;
};

FakeStream& stream_of(cudaStream_t stream) { return *reinterpret_cast<FakeStream*>(stream); }
FakeEvent& event_of(cudaEvent_t event) { return *reinterpret_cast<FakeEvent*>(event); }

int current_device = 0;

/// The error that was asked for this call, once.
cudaError_t asked(const char* function) {
    auto& fails = fake_cuda_runtime().fails;
    const auto at = fails.find(function);
    if (at == fails.end()) return cudaSuccess;
    const auto error = static_cast<cudaError_t>(at->second);
    fails.erase(at);
    return error;
}

cudaError_t enqueue(const char* function, cudaStream_t stream, std::function<void()> task) {
    if (const cudaError_t error = asked(function); error != cudaSuccess) return error;
    ++fake_cuda_runtime().enqueued;
    stream_of(stream).tasks.push_back(std::move(task));
    return cudaSuccess;
}

void run_one(FakeStream& stream) {
    const std::function<void()> task = std::move(stream.tasks.front());
    stream.tasks.pop_front();
    task();
}

cudaError_t allocate(void** memory, size_t bytes) {
    ++fake_cuda_runtime().allocations;
    ++fake_cuda_runtime().blocks;
    *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(*memory, 0x5a, bytes);
    return cudaSuccess;
}

cudaError_t release(void* memory) {
    --fake_cuda_runtime().blocks;
    std::free(memory);
    return cudaSuccess;
}

}  // namespace

gannet::tests::FakeCudaRuntime& gannet::tests::fake_cuda_runtime() {
    static FakeCudaRuntime runtime;
    return runtime;
}

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 2;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    *properties = {};
    std::strcpy(properties->name, device == 0 ? "toy" : "toy MIG 1g.10gb");
    properties->major = 9;
    properties->totalGlobalMem = size_t{1} << 30;
    properties->multiProcessorCount = 8;
    for (int k = 0; k < 16; ++k) properties->uuid.bytes[k] = static_cast<char>(16 * device + k);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
    *value = 0;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    current_device = device;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
    *device = current_device;
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    *free = *total = size_t{1} << 30;
    return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "an error"; }
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorOfTheTest"; }

cudaError_t cudaMalloc(void** memory, size_t bytes) {
    if (bytes > fake_cuda_runtime().largest_block) return cudaErrorMemoryAllocation;
    return allocate(memory, bytes);
}
cudaError_t cudaFree(void* memory) { return release(memory); }
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) { return allocate(memory, bytes); }
cudaError_t cudaFreeHost(void* memory) { return release(memory); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    ++fake_cuda_runtime().streams;
    *stream = reinterpret_cast<cudaStream_t>(new FakeStream);
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    --fake_cuda_runtime().streams;
    delete &stream_of(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    while (!stream_of(stream).tasks.empty()) run_one(stream_of(stream));
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    ++fake_cuda_runtime().events;
    *event = reinterpret_cast<cudaEvent_t>(new FakeEvent);
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    --fake_cuda_runtime().events;
    delete &event_of(event);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    FakeEvent& own = event_of(event);
    own.stream = &stream_of(stream);
    own.done = false;
    own.stream->tasks.push_back([&own] {
        own.done = true;
        own.time = std::chrono::steady_clock::now();
    });
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (const cudaError_t error = asked("cudaEventSynchronize"); error != cudaSuccess) return error;
    while (!event_of(event).done) run_one(*event_of(event).stream);
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
    if (!event_of(start).done || !event_of(end).done) return cudaErrorNotReady;
    *ms = std::chrono::duration<float, std::milli>(event_of(end).time - event_of(start).time).count();
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    return enqueue("cudaMemcpyAsync", stream, [=] { std::memcpy(to, from, bytes); });
}
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
    return enqueue("cudaMemsetAsync", stream, [=] { std::memset(memory, value, bytes); });
}
cudaError_t cudaLaunchKernel(const void* function, dim3, dim3, void** arguments, size_t,
                             cudaStream_t stream) {
    using Kernel = void (*)(void*);
    void* const argument = *static_cast<void**>(arguments[0]);
    const auto kernel = reinterpret_cast<Kernel>(const_cast<void*>(function));
    return enqueue("cudaLaunchKernel", stream, [=] { kernel(argument); });
}

}  // extern "C"
