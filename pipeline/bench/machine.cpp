// SPDX-License-Identifier: MIT
// Provides the description of this machine, from /proc and the system.
#include "pipeline/bench/machine.hpp"

#include "kernels/backend.hpp"
#include "pipeline/resources.hpp"

#include <cstdlib>
#include <fstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace gannet::pipeline::bench {
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
    getloadavg(machine.load.data(), 3);
    return machine;
}

}  // namespace gannet::pipeline::bench
