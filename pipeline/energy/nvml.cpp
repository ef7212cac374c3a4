// SPDX-License-Identifier: MIT
// Provides what NVML says of a device.
#include "pipeline/energy/nvml.hpp"

#include <dlfcn.h>

namespace gannet::pipeline {

namespace {

using NvmlDevice = void*;
constexpr int k_success = 0;

/// A function of the library, or null.
template <typename Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

struct Nvml::Functions {
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    const char* (*error_text)(int) = nullptr;
    int (*device_of)(const char* uuid, NvmlDevice* device) = nullptr;
    int (*energy)(NvmlDevice device, unsigned long long* millijoules) = nullptr;
    int (*generation)(NvmlDevice device, unsigned* value) = nullptr;
    int (*max_generation)(NvmlDevice device, unsigned* value) = nullptr;
    int (*width)(NvmlDevice device, unsigned* value) = nullptr;
    int (*max_width)(NvmlDevice device, unsigned* value) = nullptr;

    NvmlDevice device(const std::string& uuid) const {
        NvmlDevice found = nullptr;
        if (device_of == nullptr || device_of(uuid.c_str(), &found) != k_success) return nullptr;
        return found;
    }
};

const Nvml& Nvml::instance() {
    static const Nvml nvml;
    return nvml;
}

Nvml::Nvml() : functions_(new Functions) {
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
        fault_ = "there is no NVML (libnvidia-ml.so.1) of an NVIDIA driver";
        return;
    }
    find(library_, "nvmlInit_v2", functions_->init);
    find(library_, "nvmlShutdown", functions_->shutdown);
    find(library_, "nvmlErrorString", functions_->error_text);
    find(library_, "nvmlDeviceGetHandleByUUID", functions_->device_of);
    find(library_, "nvmlDeviceGetTotalEnergyConsumption", functions_->energy);
    find(library_, "nvmlDeviceGetCurrPcieLinkGeneration", functions_->generation);
    find(library_, "nvmlDeviceGetMaxPcieLinkGeneration", functions_->max_generation);
    find(library_, "nvmlDeviceGetCurrPcieLinkWidth", functions_->width);
    find(library_, "nvmlDeviceGetMaxPcieLinkWidth", functions_->max_width);
    if (functions_->init == nullptr || functions_->shutdown == nullptr) {
        functions_->shutdown = nullptr;
        fault_ = "libnvidia-ml.so.1 is no NVML of version 2";
        return;
    }
    if (const int error = functions_->init(); error != k_success) {
        const char* const text = functions_->error_text == nullptr ? nullptr : functions_->error_text(error);
        fault_ = "NVML does not start: " + (text == nullptr ? "error " + std::to_string(error) : text);
        functions_->shutdown = nullptr;
    }
}

Nvml::~Nvml() {
    if (functions_->shutdown != nullptr) functions_->shutdown();
    delete functions_;
    if (library_ != nullptr) dlclose(library_);
}

std::optional<Nvml::Link> Nvml::link(const std::string& uuid) const {
    if (!fault_.empty()) return std::nullopt;
    const NvmlDevice device = functions_->device(uuid);
    const auto ask = [&](int (*function)(NvmlDevice, unsigned*), unsigned& value) {
        return function != nullptr && function(device, &value) == k_success;
    };
    Link link;
    if (device == nullptr || !ask(functions_->generation, link.generation) ||
        !ask(functions_->max_generation, link.max_generation) || !ask(functions_->width, link.width) ||
        !ask(functions_->max_width, link.max_width)) {
        return std::nullopt;
    }
    return link;
}

std::optional<double> Nvml::joules(const std::string& uuid) const {
    if (!fault_.empty()) return std::nullopt;
    const NvmlDevice device = functions_->device(uuid);
    unsigned long long millijoules = 0;
    if (device == nullptr || functions_->energy == nullptr ||
        functions_->energy(device, &millijoules) != k_success) {
        return std::nullopt;
    }
    return static_cast<double>(millijoules) * 1e-3;
}

}  // namespace gannet::pipeline
