// SPDX-License-Identifier: MIT
// Provides the limits of machine and control group.
#include "pipeline/resources.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <sched.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <vector>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

std::string slurp(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Folders of the process's control group from its own up to the root, for v2 ("") or a v1 controller.
std::vector<std::string> cgroup_folders(const std::string& controller) {
    std::istringstream lines(slurp("/proc/self/cgroup"));
    std::string place;
    for (std::string line; std::getline(lines, line);) {
        const size_t first = line.find(':');
        const size_t second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
        if (names.find("," + controller + ",") != std::string::npos) place = line.substr(second + 1);
    }
    const std::string root = controller.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
    std::vector<std::string> folders;
    for (fs::path at(place.empty() ? "/" : place); at.has_relative_path(); at = at.parent_path()) {
        folders.push_back(root + at.string());
    }
    folders.push_back(root);  // inside a container the group is the root of what is seen
    return folders;
}

uint64_t available_bytes() {
    std::istringstream lines(slurp("/proc/meminfo"));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("MemAvailable:")) return std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
    }
    return 2ull << 30;
}

std::optional<uint64_t> cgroup_memory_left() {
    std::optional<uint64_t> left;
    const auto consider = [&left](const std::string& limit_text, const std::string& used_text) {
        const auto limit = memory_limit(limit_text);
        if (!limit) return;
        const uint64_t used = std::strtoull(used_text.c_str(), nullptr, 10);
        const uint64_t rest = *limit > used ? *limit - used : *limit / 8;
        left = left ? std::min(*left, rest) : rest;
    };
    for (const std::string& folder : cgroup_folders("")) {
        consider(slurp(folder + "/memory.max"), slurp(folder + "/memory.current"));
    }
    for (const std::string& folder : cgroup_folders("memory")) {
        consider(slurp(folder + "/memory.limit_in_bytes"), slurp(folder + "/memory.usage_in_bytes"));
    }
    return left;
}

}  // namespace

std::optional<double> cpu_quota(std::string_view cpu_max) {
    std::istringstream words{std::string(cpu_max)};
    double quota = 0;
    double period = 0;
    if (!(words >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
    return quota / period;
}

std::optional<uint64_t> memory_limit(std::string_view text) {
    uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || value == 0 || value >= (1ull << 60)) return std::nullopt;
    return value;
}

int default_threads() {
    cpu_set_t mask;
    int threads = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
    const auto consider = [&threads](std::optional<double> quota) {
        if (quota) threads = std::min(threads, static_cast<int>(std::ceil(*quota)));
    };
    for (const std::string& folder : cgroup_folders("")) consider(cpu_quota(slurp(folder + "/cpu.max")));
    for (const std::string& folder : cgroup_folders("cpu")) {
        consider(cpu_quota(slurp(folder + "/cpu.cfs_quota_us") + " " + slurp(folder + "/cpu.cfs_period_us")));
    }
    return std::max(threads, 1);
}

uint64_t free_memory_bytes() {
    const uint64_t bytes = available_bytes();
    const auto left = cgroup_memory_left();
    return left ? std::min(bytes, *left) : bytes;
}

uint64_t default_memory_bytes() { return free_memory_bytes() / 10 * 6; }

void release_free_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

uint64_t memory_in_use_bytes() {
    std::istringstream words(slurp("/proc/self/statm"));
    uint64_t all_pages = 0;
    uint64_t resident_pages = 0;
    words >> all_pages >> resident_pages;
    return resident_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t peak_memory_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

double process_cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::optional<uint64_t> parse_size(std::string_view text) {
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || !(value > 0)) return std::nullopt;
    std::string unit(end, text.data() + text.size());
    std::transform(unit.begin(), unit.end(), unit.begin(),
                   [](char c) { return static_cast<char>(c | 0x20); });
    if (unit.ends_with("b")) unit.pop_back();
    if (unit.ends_with("i")) unit.pop_back();
    double factor = 1;
    if (unit == "k") {
        factor = 1ull << 10;
    } else if (unit == "m") {
        factor = 1ull << 20;
    } else if (unit == "g") {
        factor = 1ull << 30;
    } else if (unit == "t") {
        factor = static_cast<double>(1ull << 40);
    } else if (!unit.empty()) {
        return std::nullopt;
    }
    if (value * factor >= 1e18) return std::nullopt;
    return static_cast<uint64_t>(value * factor);
}

std::string size_text(uint64_t bytes) {
    char text[32];
    if (bytes >= 1ull << 30) {
        std::snprintf(text, sizeof text, "%.1f GB",
                      static_cast<double>(bytes) / static_cast<double>(1ull << 30));
    } else {
        std::snprintf(text, sizeof text, "%.0f MB",
                      static_cast<double>(bytes) / static_cast<double>(1ull << 20));
    }
    return text;
}

uint64_t free_disk_bytes(const std::string& path) {
    fs::path at = fs::absolute(path);
    std::error_code ignored;
    while (!fs::exists(at, ignored) && at.has_parent_path() && at != at.parent_path()) at = at.parent_path();
    struct statvfs space {};
    if (statvfs(at.c_str(), &space) != 0) return UINT64_MAX;
    return static_cast<uint64_t>(space.f_bavail) * space.f_frsize;
}

}  // namespace gannet::pipeline
