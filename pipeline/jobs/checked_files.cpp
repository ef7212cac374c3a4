// SPDX-License-Identifier: MIT
// Provides the memory of which files were checked on this machine.
#include "pipeline/jobs/checked_files.hpp"

#include "align/index/source_file.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

constexpr size_t k_max_lines = 256;

int64_t nanoseconds(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

std::string cache_folder() {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') return std::string(cache) + "/gannet";
    const char* const home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? std::string(home) + "/.cache/gannet" : std::string();
}

std::vector<std::string> lines_of(const std::string& path) {
    std::vector<std::string> lines;
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return lines;
    std::ifstream file(path);
    for (std::string line; lines.size() < k_max_lines && std::getline(file, line);) lines.push_back(line);
    return lines;
}

}  // namespace

std::string file_identity(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return {};
    const int64_t modified = nanoseconds(status.st_mtim);
    const int64_t changed = nanoseconds(status.st_ctim);
    const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count();
    if (now - std::max(modified, changed) < align::k_settling_ns) return {};
    return std::to_string(status.st_dev) + " " + std::to_string(status.st_ino) + " " +
           std::to_string(status.st_size) + " " + std::to_string(modified) + " " + std::to_string(changed);
}

CheckedFiles::CheckedFiles() : folder_(cache_folder()) {}

bool CheckedFiles::contains(const std::string& check) const {
    if (folder_.empty()) return false;
    const std::vector<std::string> lines = lines_of(folder_ + "/checked");
    return std::find(lines.begin(), lines.end(), check) != lines.end();
}

void CheckedFiles::remember(const std::string& check) noexcept {
    if (folder_.empty()) return;
    try {
        std::error_code fault;
        fs::create_directories(folder_, fault);
        std::vector<std::string> lines = lines_of(folder_ + "/checked");
        if (lines.size() >= k_max_lines) lines.erase(lines.begin());
        lines.push_back(check);
        std::string partial = folder_ + "/checked.XXXXXX";
        const int descriptor = mkstemp(partial.data());
        if (descriptor < 0) return;
        std::string text;
        for (const std::string& line : lines) text += line + "\n";
        const bool written = write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
        close(descriptor);
        if (!written || rename(partial.c_str(), (folder_ + "/checked").c_str()) != 0) unlink(partial.c_str());
    } catch (const std::exception&) {
        // The next run checks again.
    }
}

}  // namespace gannet::pipeline
