// SPDX-License-Identifier: MIT
// Provides the devices of this machine: what the driver says of them, and those that are fit.
#include "kernels/cuda/device_set.hpp"

#include "kernels/backend.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/device_choice.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace gannet::kernels::cuda {

namespace {

/// Code is built for 8.0, 9.0 and, as PTX, for what comes after.
constexpr int k_min_capability = 80;

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Why there is nothing to choose from; empty where there is.
std::string missing_devices(cudaError_t error, int count, int driver, int runtime) {
    // Without a driver CUDA says that the driver is too old.
    if (driver == 0) return "no NVIDIA driver";
    if (error == cudaErrorInsufficientDriver) {
        return "the NVIDIA driver is too old: it serves CUDA " + version_text(driver) +
               ", and this build is for " + version_text(runtime);
    }
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
        return "the NVIDIA driver shows no device";
    if (error != cudaSuccess) return std::string("the NVIDIA driver fails: ") + cudaGetErrorString(error);
    return "";
}

/// As nvidia-smi prints it. The driver gives the UUID of the instance where it shows a MIG instance, which it
/// says in the name.
std::string uuid_text(const cudaDeviceProp& properties) {
    const bool is_instance = std::string(properties.name).find(" MIG ") != std::string::npos;
    std::string text = is_instance ? "MIG-" : "GPU-";
    std::array<char, 4> digits;
    for (size_t k = 0; k < sizeof properties.uuid.bytes; ++k) {
        if (k == 4 || k == 6 || k == 8 || k == 10) text += '-';
        std::snprintf(digits.data(), digits.size(), "%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(properties.uuid.bytes[k])));
        text += digits.data();
    }
    return text;
}

DeviceInfo ask(int ordinal) {
    DeviceInfo info;
    info.ordinal = ordinal;
    cudaDeviceProp properties;
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, ordinal); error != cudaSuccess) {
        info.name = "unknown";
        info.unfit = cudaGetErrorString(error);
        return info;
    }
    info.name = properties.name;
    info.uuid = uuid_text(properties);
    info.capability_major = properties.major;
    info.capability_minor = properties.minor;
    info.memory_bytes = properties.totalGlobalMem;
    info.multiprocessors = properties.multiProcessorCount;
    int mode = cudaComputeModeDefault;
    ignore(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, ordinal));
    if (properties.major * 10 + properties.minor < k_min_capability) {
        info.unfit = "compute capability below 8.0";
    } else if (mode == cudaComputeModeProhibited) {
        info.unfit = "its compute mode forbids use";
    }
    return info;
}

Survey make_survey() {
    ask_for_connections();
    Survey result;
    int count = 0;
    int driver = 0;
    int runtime = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    ignore(cudaDriverGetVersion(&driver));
    ignore(cudaRuntimeGetVersion(&runtime));
    ignore(cudaGetLastError());
    result.versions =
        (driver == 0 ? "no driver" : "driver " + version_text(driver)) + ", runtime " + version_text(runtime);
    result.status.detail = missing_devices(error, count, driver, runtime);
    if (!result.status.detail.empty()) return result;
    for (int ordinal = 0; ordinal < count; ++ordinal) result.devices.push_back(ask(ordinal));
    result.status = status_of(result.devices);
    return result;
}

}  // namespace

/// Streams that share a connection, a queue of the device, wait for one another's copies and kernels. Where
/// the variable is not set, those for copies are fewer than eight (driver 580): on an H200 with 16 cores,
/// where a run has some 30 batches on the device at once, each waited 5 ms to begin, six times; with eight
/// 0.6 ms, with sixteen 0.03 ms. Beyond that only the start takes longer. Read when the driver starts, so
/// this comes before the first call.
void ask_for_connections() {
    constexpr int k_keep_users_own = 0;
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "16", k_keep_users_own);
}

std::atomic<uint64_t>& memory_limit() {
    static std::atomic<uint64_t> limit{0};
    return limit;
}

const Survey& survey() {
    static const Survey result = make_survey();
    return result;
}

uint64_t free_memory(const DeviceInfo& device) {
    check(cudaSetDevice(device.ordinal), "selection of the device");
    size_t free = 0;
    size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "the question for free device memory");
    return free;
}

std::vector<DeviceInfo>& chosen_devices() {
    static std::vector<DeviceInfo> chosen;
    return chosen;
}

void* DeviceMemory::allocate(uint64_t bytes) {
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    return memory_or_none(error, memory, "allocation of device memory");
}

void DeviceMemory::free(void* memory) noexcept { ignore(cudaFree(memory)); }

Device::Device(DeviceInfo device, uint64_t memory_bytes)
    : info(std::move(device)),
      budget(memory_bytes, "device " + std::to_string(info.ordinal) + " (" + info.name + ")") {}

void Device::select() const { check(cudaSetDevice(info.ordinal), "selection of the device"); }

namespace {

struct FitDevices {
    std::vector<std::unique_ptr<Device>> all;
    std::atomic<size_t> next{0};

    FitDevices() {
        for (const DeviceInfo& info : devices_in_use()) {
            all.push_back(std::make_unique<Device>(info, usable_memory(free_memory(info), memory_limit())));
        }
        if (all.empty()) throw DeviceUnfit(device_status().detail);
    }
};

std::atomic<FitDevices*> all_made{nullptr};

FitDevices& fit_devices() {
    // Never destroyed: streams of static storage may outlive it, and the driver frees all at the end.
    static FitDevices& devices = *new FitDevices;
    all_made = &devices;
    return devices;
}

}  // namespace

Device& next_device() {
    FitDevices& devices = fit_devices();
    return *devices.all[devices.next++ % devices.all.size()];
}

std::vector<Device*> all_devices() {
    std::vector<Device*> result;
    for (const auto& device : fit_devices().all) result.push_back(device.get());
    return result;
}

std::vector<const Device*> devices_made() {
    std::vector<const Device*> result;
    if (const FitDevices* const devices = all_made.load()) {
        for (const auto& device : devices->all) result.push_back(device.get());
    }
    return result;
}

}  // namespace gannet::kernels::cuda
