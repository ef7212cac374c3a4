// SPDX-License-Identifier: MIT
// Provides the counters of RAPL.
#include "pipeline/energy/rapl.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

std::optional<uint64_t> number_in(const std::string& path) {
    std::ifstream file(path);
    uint64_t value = 0;
    if (!(file >> value)) return std::nullopt;
    return value;
}

std::string line_in(const std::string& path) {
    std::ifstream file(path);
    std::string text;
    std::getline(file, text);
    return text;
}

}  // namespace

Rapl::Rapl(const std::string& folder) {
    std::error_code missing;
    std::vector<std::string> found;
    for (fs::directory_iterator at(folder, missing); !missing && at != fs::directory_iterator();
         at.increment(missing)) {
        // intel-rapl:0 (also on processors of AMD) and the zones in it; intel-rapl-mmio repeats them.
        if (at->path().filename().string().starts_with("intel-rapl:")) found.push_back(at->path().string());
    }
    std::sort(found.begin(), found.end());
    bool is_forbidden = false;
    for (const std::string& zone : found) {
        const std::string name = line_in(zone + "/name");
        if (!name.starts_with("package") && name != "dram") continue;  // core and uncore are within a package
        const std::optional<uint64_t> range = number_in(zone + "/max_energy_range_uj");
        const std::optional<uint64_t> now = number_in(zone + "/energy_uj");
        if (!range || !now) {
            is_forbidden = true;
            continue;
        }
        zones_.push_back({zone + "/energy_uj", *range, *now});
        names_ += (names_.empty() ? "" : ", ") + name;
    }
    if (!zones_.empty()) return;
    fault_ = is_forbidden ? "the counters in " + folder + " can only be read by root"
                          : "this machine shows no RAPL counters in " + folder;
}

double Rapl::joules() {
    for (Zone& zone : zones_) {
        const std::optional<uint64_t> now = number_in(zone.path);
        if (!now) continue;
        const uint64_t used =
            *now >= zone.last ? *now - zone.last : zone.range_microjoules - zone.last + *now;
        microjoules_ += static_cast<double>(used);
        zone.last = *now;
    }
    return microjoules_ * 1e-6;
}

}  // namespace gannet::pipeline
