// SPDX-License-Identifier: MIT
// Provides a CUDA runtime without a device.
#include "tests/unit/kernels/cuda/fake_runtime.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cxxabi.h>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <thread>

namespace {

using gannet::tests::fake_cuda_runtime;
using gannet::tests::FakeLaunch;

struct FakeStream {
    int device = 0;
    std::deque<std::function<void()>> tasks;
};

struct FakeEvent {
    FakeStream* stream = nullptr;
    bool done = true;
    std::chrono::steady_clock::time_point time;
};

FakeStream& stream_of(cudaStream_t stream) { return *reinterpret_cast<FakeStream*>(stream); }
FakeEvent& event_of(cudaEvent_t event) { return *reinterpret_cast<FakeEvent*>(event); }

thread_local int current_device = 0;

/// Guards what streams have in common; not held while kernels run.
std::mutex& common() {
    static auto& mutex = *new std::mutex;
    return mutex;
}

void count(int& value, int change) {
    const std::lock_guard lock(common());
    value += change;
}

/// The error that was asked for this call, once; or that of the device's fault.
cudaError_t asked(const char* function) {
    const std::lock_guard lock(common());
    if (!fake_cuda_runtime().fault.empty()) return cudaErrorLaunchFailure;
    auto& fails = fake_cuda_runtime().fails;
    const auto at = fails.find(function);
    if (at == fails.end() || at->second.after-- > 0) return cudaSuccess;
    const auto error = static_cast<cudaError_t>(at->second.error);
    fails.erase(at);
    return error;
}

bool has_fault() {
    const std::lock_guard lock(common());
    return !fake_cuda_runtime().fault.empty();
}

cudaError_t refuse(cudaError_t error) {
    const std::lock_guard lock(common());
    ++fake_cuda_runtime().refused;
    return error;
}

cudaError_t enqueue(const char* function, cudaStream_t stream, std::function<void()> task) {
    if (const cudaError_t error = asked(function); error != cudaSuccess) return error;
    if (stream_of(stream).device != current_device) return refuse(cudaErrorInvalidResourceHandle);
    {
        const std::lock_guard lock(common());
        ++fake_cuda_runtime().enqueued;
    }
    stream_of(stream).tasks.push_back(std::move(task));
    return cudaSuccess;
}

int64_t thread_cpu_ns() {
    timespec used = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

void run_one(FakeStream& stream) {
    const std::function<void()> task = std::move(stream.tasks.front());
    stream.tasks.pop_front();
    const int64_t begin = thread_cpu_ns();
    std::string fault;
    try {
        task();
    } catch (const std::exception& error) {
        fault = error.what();
    }
    const int64_t spent = thread_cpu_ns() - begin;
    const std::lock_guard lock(common());
    if (fake_cuda_runtime().fault.empty()) fake_cuda_runtime().fault = fault;
    fake_cuda_runtime().device_cpu_ns += spent;
}

constexpr int k_garbage = 0x5a;
constexpr int k_pinned = -1;

/// Memory of a device, or pinned memory. Behind it lie guards, but where it is the caller's own.
struct Block {
    uint64_t bytes = 0;
    int device = k_pinned;
    bool is_registered = false;
};
std::map<const uint8_t*, Block>& blocks() {
    static auto& all = *new std::map<const uint8_t*, Block>;  // streams of static storage may outlive it
    return all;
}
constexpr uint64_t k_guard_bytes = 4096;

cudaError_t allocate(void** memory, size_t bytes, int device) {
    const size_t all_bytes = (bytes + 255) / 256 * 256 + k_guard_bytes;
    *memory = std::aligned_alloc(256, all_bytes);
    std::memset(*memory, k_garbage, all_bytes);
    const std::lock_guard lock(common());
    ++fake_cuda_runtime().allocations;
    ++fake_cuda_runtime().blocks;
    blocks()[static_cast<uint8_t*>(*memory)] = {bytes, device};
    if (device != k_pinned && fake_cuda_runtime().watch != nullptr)
        fake_cuda_runtime().watch->allocated(*memory, bytes);
    return cudaSuccess;
}

cudaError_t release(void* memory) {
    std::unique_lock lock(common());
    const auto at = blocks().find(static_cast<uint8_t*>(memory));
    if (at == blocks().end() || at->second.is_registered) {
        lock.unlock();
        return refuse(cudaErrorInvalidValue);
    }
    const uint8_t* const end = at->first + at->second.bytes;
    if (!std::all_of(end, end + k_guard_bytes, [](uint8_t byte) { return byte == k_garbage; }))
        ++fake_cuda_runtime().overruns;
    if (at->second.device != k_pinned && fake_cuda_runtime().watch != nullptr)
        fake_cuda_runtime().watch->freed(memory);
    blocks().erase(at);
    --fake_cuda_runtime().blocks;
    std::free(memory);
    return cudaSuccess;
}

bool is_mapped(const void* memory, uint64_t bytes) {
    return msync(const_cast<void*>(memory), bytes, MS_ASYNC) == 0;
}

/// The first caller does it, and others wait for that.
void wait_once(std::once_flag& flag, double ms) {
    std::call_once(flag,
                   [ms] { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms)); });
}

void start_driver() {
    static auto& flag = *new std::once_flag;
    wait_once(flag, fake_cuda_runtime().delays.driver_ms);
}

void make_context(int device) {
    static auto& flags = *new std::array<std::once_flag, 2>;
    start_driver();
    wait_once(flags.at(static_cast<size_t>(device)), fake_cuda_runtime().delays.context_ms);
}

/// Of the driver's calls for pinned memory, which do not run side by side.
void wait_for_bytes(double ms_per_mb, uint64_t bytes) {
    if (ms_per_mb == 0) return;
    static auto& mutex = *new std::mutex;
    const std::lock_guard lock(mutex);
    std::this_thread::sleep_for(
        std::chrono::duration<double, std::milli>(ms_per_mb * static_cast<double>(bytes) / (1 << 20)));
}

/// Whether these bytes lie in one block of the device, or of pinned memory.
bool is_within(const void* memory, uint64_t bytes, int device) {
    const auto* const begin = static_cast<const uint8_t*>(memory);
    const std::lock_guard lock(common());
    auto at = blocks().upper_bound(begin);
    if (at == blocks().begin()) return false;
    --at;
    return at->second.device == device && begin + bytes <= at->first + at->second.bytes;
}

/// What nvcc's code says of its kernels when the program starts: name by the stub on the host.
std::map<const void*, std::string>& compiled_kernels() {
    static auto& all = *new std::map<const void*, std::string>;
    return all;
}

/// Without what comes before and behind the qualified name of a function.
std::string qualified_name(const std::string& whole) {
    const std::string name = whole.substr(0, whole.find_first_of("<("));
    return name.substr(name.rfind(' ') + 1);
}

cudaError_t launch_compiled(FakeLaunch launch, cudaStream_t stream) {
    const auto& kernels = fake_cuda_runtime().kernels;
    const auto at = kernels.find(qualified_name(launch.kernel));
    const gannet::tests::FakeKernel& kernel =
        at == kernels.end() ? fake_cuda_runtime().any_kernel : at->second;
    if (kernel == nullptr || launch.blocks == 0 || launch.threads == 0 || launch.threads > 1024)
        return refuse(cudaErrorInvalidDeviceFunction);
    return enqueue("cudaLaunchKernel", stream, kernel(launch));
}

}  // namespace

gannet::tests::FakeCudaRuntime& gannet::tests::fake_cuda_runtime() {
    static FakeCudaRuntime& runtime = *new FakeCudaRuntime;
    return runtime;
}

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    start_driver();
    *count = fake_cuda_runtime().has_devices ? 2 : 0;
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    *properties = {};
    std::strcpy(properties->name, device == 0 ? "toy" : "toy MIG 1g.10gb");
    properties->major = fake_cuda_runtime().major;
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
    make_context(device);
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
const char* cudaGetErrorString(cudaError_t) {
    const std::string& fault = fake_cuda_runtime().fault;
    return fault.empty() ? "an error" : fault.c_str();
}
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorOfTheTest"; }

cudaError_t cudaMalloc(void** memory, size_t bytes) {
    if (bytes > fake_cuda_runtime().largest_block) return cudaErrorMemoryAllocation;
    return allocate(memory, bytes, current_device);
}
cudaError_t cudaFree(void* memory) { return release(memory); }
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
    if (const cudaError_t error = asked("cudaHostAlloc"); error != cudaSuccess) return error;
    wait_for_bytes(fake_cuda_runtime().delays.host_alloc_ms_per_mb, bytes);
    return allocate(memory, bytes, k_pinned);
}
cudaError_t cudaFreeHost(void* memory) { return release(memory); }
cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned flags) {
    if (const cudaError_t error = asked("cudaHostRegister"); error != cudaSuccess) return error;
    if (flags != cudaHostRegisterPortable || !is_mapped(memory, bytes)) return refuse(cudaErrorInvalidValue);
    wait_for_bytes(fake_cuda_runtime().delays.register_ms_per_mb, bytes);
    std::memset(memory, k_garbage, bytes);  // zeros are no one's promise
    const std::lock_guard lock(common());
    ++fake_cuda_runtime().allocations;
    ++fake_cuda_runtime().blocks;
    ++fake_cuda_runtime().registered;
    blocks()[static_cast<uint8_t*>(memory)] = {bytes, k_pinned, true};
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
    std::unique_lock lock(common());
    const auto at = blocks().find(static_cast<uint8_t*>(memory));
    const bool is_right =
        at != blocks().end() && at->second.is_registered && is_mapped(memory, at->second.bytes);
    if (!is_right) {
        lock.unlock();
        return refuse(cudaErrorInvalidValue);
    }
    blocks().erase(at);
    --fake_cuda_runtime().blocks;
    --fake_cuda_runtime().registered;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    count(fake_cuda_runtime().streams, 1);
    *stream = reinterpret_cast<cudaStream_t>(new FakeStream{current_device, {}});
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    count(fake_cuda_runtime().streams, -1);
    delete &stream_of(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    while (!stream_of(stream).tasks.empty() && !has_fault()) run_one(stream_of(stream));
    return has_fault() ? cudaErrorLaunchFailure : cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    count(fake_cuda_runtime().events, 1);
    *event = reinterpret_cast<cudaEvent_t>(new FakeEvent);
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    count(fake_cuda_runtime().events, -1);
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
    if (const cudaError_t error = asked("cudaEventSynchronize"); error != cudaSuccess) {
        event_of(event).stream->tasks.clear();  // a device does nothing more after a fault
        return error;
    }
    while (!event_of(event).done && !has_fault()) run_one(*event_of(event).stream);
    if (!has_fault()) return cudaSuccess;
    event_of(event).stream->tasks.clear();
    return cudaErrorLaunchFailure;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
    if (!event_of(start).done || !event_of(end).done) return cudaErrorNotReady;
    *ms = std::chrono::duration<float, std::milli>(event_of(end).time - event_of(start).time).count();
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    const int device = stream_of(stream).device;
    const bool up = kind == cudaMemcpyHostToDevice;
    const bool within = kind == cudaMemcpyDeviceToDevice;
    // Memory of the host that is no block is pageable, which the residency of an index copies.
    const bool from_is_right = up ? !is_within(from, 1, device) : is_within(from, bytes, device);
    const bool to_is_right = up || within ? is_within(to, bytes, device) : is_within(to, bytes, k_pinned);
    if (!from_is_right || !to_is_right) return refuse(cudaErrorInvalidValue);
    if (up && is_within(from, 1, k_pinned) && !is_within(from, bytes, k_pinned))
        return refuse(cudaErrorInvalidValue);
    if (!within) {
        const std::lock_guard lock(common());
        (up ? fake_cuda_runtime().to_device_bytes : fake_cuda_runtime().from_device_bytes) += bytes;
    }
    gannet::tests::FakeMemoryWatch* const watch = fake_cuda_runtime().watch;
    return enqueue("cudaMemcpyAsync", stream, [=] {
        if (watch != nullptr && !up) watch->read(from, bytes);
        std::memcpy(to, from, bytes);
        if (watch != nullptr && (up || within)) watch->written(to, bytes);
    });
}
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
    if (!is_within(memory, bytes, stream_of(stream).device)) return refuse(cudaErrorInvalidValue);
    gannet::tests::FakeMemoryWatch* const watch = fake_cuda_runtime().watch;
    return enqueue("cudaMemsetAsync", stream, [=] {
        std::memset(memory, value, bytes);
        if (watch != nullptr) watch->written(memory, bytes);
    });
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
    const auto compiled = compiled_kernels().find(function);
    if (compiled != compiled_kernels().end())
        return launch_compiled({compiled->second, grid.x, block.x, shared_bytes, arguments}, stream);
    using Kernel = void (*)(void*);
    void* const argument = *static_cast<void**>(arguments[0]);
    const auto kernel = reinterpret_cast<Kernel>(const_cast<void*>(function));
    return enqueue("cudaLaunchKernel", stream, [=] { kernel(argument); });
}

// What nvcc's code of the host calls when a program starts and ends, and where <<<>>> is written.

void** __cudaRegisterFatBinary(void*) {
    static void* handle = nullptr;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* stub, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {
    const std::unique_ptr<char, void (*)(void*)> readable(
        abi::__cxa_demangle(name, nullptr, nullptr, nullptr), std::free);
    compiled_kernels()[stub] = readable ? readable.get() : name;
}
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) { return cudaErrorInvalidValue; }
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*) { return cudaErrorInvalidValue; }
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t) {
    return cudaErrorInvalidValue;
}

}  // extern "C"
