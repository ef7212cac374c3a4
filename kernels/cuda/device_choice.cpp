// SPDX-License-Identifier: MIT
// Provides the choice of devices by what a user calls them.
#include "kernels/cuda/device_choice.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace gannet::kernels::cuda {

namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

[[noreturn]] void refuse(const std::string& reference, const std::string& why) {
    throw DeviceUnfit("--devices " + reference + ": " + why + "; see `gannet devices`");
}

bool is_ordinal(const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
}

const DeviceInfo& find(const std::vector<DeviceInfo>& all, const std::string& reference) {
    const DeviceInfo* found = nullptr;
    for (const DeviceInfo& device : all) {
        const bool is_meant = is_ordinal(reference) ? std::to_string(device.ordinal) == reference
                                                    : lower(device.uuid).starts_with(lower(reference));
        if (!is_meant) continue;
        if (found != nullptr) refuse(reference, "more than one device has a UUID that begins so");
        found = &device;
    }
    if (found != nullptr) return *found;
    std::string text = "no such device; there ";
    text += all.size() == 1 ? "is " : "are ";
    for (const DeviceInfo& device : all)
        text +=
            (&device == all.data() ? "" : ", ") + std::to_string(device.ordinal) + " (" + device.uuid + ")";
    if (lower(reference).starts_with("mig-"))
        text += "; CUDA shows a process the MIG instance that CUDA_VISIBLE_DEVICES names";
    refuse(reference, text);
}

}  // namespace

std::vector<DeviceInfo> choose_devices(const std::vector<DeviceInfo>& all,
                                       const std::vector<std::string>& references,
                                       const DeviceStatus& status) {
    std::vector<DeviceInfo> chosen;
    for (const std::string& reference : references) {
        if (all.empty()) refuse(reference, status.detail);
        const DeviceInfo& device = find(all, reference);
        if (!device.unfit.empty()) refuse(reference, device.name + " is unfit: " + device.unfit);
        const bool is_known = std::any_of(chosen.begin(), chosen.end(), [&device](const DeviceInfo& other) {
            return other.ordinal == device.ordinal;
        });
        if (is_known) refuse(reference, "this device is named twice");
        chosen.push_back(device);
    }
    return chosen;
}

std::vector<DeviceInfo> used_of(const std::vector<DeviceInfo>& all, const std::vector<DeviceInfo>& chosen) {
    if (!chosen.empty()) return chosen;
    std::vector<DeviceInfo> fit;
    std::copy_if(all.begin(), all.end(), std::back_inserter(fit),
                 [](const DeviceInfo& device) { return device.unfit.empty(); });
    return fit;
}

DeviceStatus status_of(const std::vector<DeviceInfo>& devices) {
    DeviceStatus status;
    size_t fit = 0;
    for (const DeviceInfo& device : devices) {
        if (device.unfit.empty()) {
            if (++fit == 1) status.detail = device.name;
        } else if (status.detail.empty()) {
            status.detail = device.name + ": " + device.unfit;
        }
    }
    status.usable = fit > 0;
    if (fit > 1) status.detail += " and " + std::to_string(fit - 1) + " more";
    return status;
}

}  // namespace gannet::kernels::cuda
