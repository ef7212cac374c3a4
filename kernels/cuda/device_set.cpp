// SPDX-License-Identifier: MIT
// Provides the devices of this machine: what the driver says of them, and those that are fit.
#include "kernels/cuda/device_set.hpp"

#include "kernels/backend.hpp"
#include "kernels/cuda/check.hpp"

#include <atomic>
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
std::string missing_devices(cudaError_t error, int count) {
    int driver = 0;
    int runtime = 0;
    ignore(cudaDriverGetVersion(&driver));
    ignore(cudaRuntimeGetVersion(&runtime));
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
    Survey result;
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    ignore(cudaGetLastError());
    result.status.detail = missing_devices(error, count);
    if (!result.status.detail.empty()) return result;
    int fit = 0;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        result.devices.push_back(ask(ordinal));
        const DeviceInfo& info = result.devices.back();
        if (!info.unfit.empty()) {
            if (fit == 0) result.status.detail = info.name + ": " + info.unfit;
            continue;
        }
        if (++fit == 1) result.status.detail = info.name;
    }
    result.status.usable = fit > 0;
    if (fit > 1) result.status.detail += " and " + std::to_string(fit - 1) + " more";
    return result;
}

}  // namespace

std::atomic<uint64_t>& memory_limit() {
    static std::atomic<uint64_t> limit{0};
    return limit;
}

const Survey& survey() {
    static const Survey result = make_survey();
    return result;
}

Device::Device(DeviceInfo device, uint64_t memory_bytes)
    : info(std::move(device)),
      budget(memory_bytes, "device " + std::to_string(info.ordinal) + " (" + info.name + ")") {}

void Device::select() const { check(cudaSetDevice(info.ordinal), "selection of the device"); }

namespace {

struct FitDevices {
    std::vector<std::unique_ptr<Device>> all;
    std::atomic<size_t> next{0};

    FitDevices() {
        for (const DeviceInfo& info : survey().devices) {
            if (!info.unfit.empty()) continue;
            check(cudaSetDevice(info.ordinal), "selection of the device");
            size_t free = 0;
            size_t total = 0;
            check(cudaMemGetInfo(&free, &total), "the question for free device memory");
            all.push_back(std::make_unique<Device>(info, usable_memory(free, memory_limit())));
        }
        if (all.empty()) throw DeviceUnfit(survey().status.detail);
    }
};

}  // namespace

Device& next_device() {
    // Never destroyed: streams of static storage may outlive it, and the driver frees all at the end.
    static FitDevices& devices = *new FitDevices;
    return *devices.all[devices.next++ % devices.all.size()];
}

}  // namespace gannet::kernels::cuda
