// SPDX-License-Identifier: MIT
// Provides the description of this machine, from /proc and the system.
#include "pipeline/machine.hpp"

#include "kernels/backend.hpp"
#include "kernels/cuda/device.hpp"
#include "pipeline/resources.hpp"

#include <cstdlib>
#include <fstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace gannet::pipeline {
namespace {

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("model name")) continue;
        const size_t colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown";
}

}  // namespace

Machine this_machine() {
    Machine machine;
    machine.cpu = cpu_model();
    machine.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    machine.usable_cores = default_threads();
    machine.simd = kernels::name(kernels::detected_simd_level());
    machine.memory_bytes =
        static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    utsname names{};
    if (uname(&names) == 0) machine.kernel = std::string(names.sysname) + " " + names.release;
    if (!machine.kernel.empty()) machine.host = names.nodename;
    getloadavg(machine.load.data(), 3);
    for (const kernels::cuda::DeviceInfo& device : kernels::cuda::devices()) {
        if (device.unfit.empty())
            machine.devices.push_back(device.name + " (" + size_text(device.memory_bytes) + ")");
    }
    return machine;
}

std::string machine_text(const Machine& machine) {
    std::string text = std::to_string(machine.usable_cores) +
                       (machine.usable_cores == 1 ? " CPU core" : " CPU cores") + " (" + machine.simd +
                       "), " + size_text(machine.memory_bytes) + " of memory";
    for (const std::string& device : machine.devices) text += ", " + device;
    return text;
}

}  // namespace gannet::pipeline
