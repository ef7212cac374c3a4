// SPDX-License-Identifier: MIT
// Provides a driver's library of management (NVML) for tests: devices that use 250 W all the time.
//
// FAKE_NVML: "off" fails at the start, "old" is a device before Volta (no energy), "mig" knows no device.
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace {

bool is_set(const char* value) {
    const char* const given = std::getenv("FAKE_NVML");
    return given != nullptr && std::strcmp(given, value) == 0;
}

constexpr int k_driver_not_loaded = 9;
constexpr int k_not_supported = 3;
constexpr int k_not_found = 6;
int device = 0;

}  // namespace

extern "C" {

int nvmlInit_v2() { return is_set("off") ? k_driver_not_loaded : 0; }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int error) { return error == k_driver_not_loaded ? "Driver Not Loaded" : "?"; }
int nvmlDeviceGetHandleByUUID(const char*, void** found) {
    *found = &device;
    return is_set("mig") ? k_not_found : 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
    if (is_set("old")) return k_not_supported;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    *millijoules = static_cast<unsigned long long>(
        250 * std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
    return 0;
}
int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* value) { return *value = 1, 0; }
int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* value) { return *value = 5, 0; }
int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* value) { return *value = 16, 0; }
int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* value) { return *value = 16, 0; }

}  // extern "C"
