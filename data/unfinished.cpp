// SPDX-License-Identifier: MIT
// Provides the list of unfinished files and folders.
#include "data/unfinished.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

namespace gannet::data {
namespace {

struct Unfinished {
    std::mutex mutex;
    std::vector<std::string> paths;  ///< in the order in which they were made
};

Unfinished& unfinished() {
    static Unfinished* const list = new Unfinished;  // outlives every thread
    return *list;
}

}  // namespace

std::unique_lock<std::mutex> lock_unfinished() { return std::unique_lock(unfinished().mutex); }

void add_unfinished(const std::string& path) { unfinished().paths.push_back(path); }

void forget_unfinished(const std::string& path) noexcept {
    std::vector<std::string>& paths = unfinished().paths;
    const auto at = std::find(paths.begin(), paths.end(), path);
    if (at != paths.end()) paths.erase(at);
}

namespace {

/// With the lock held.
void remove_all_unfinished() noexcept {
    std::vector<std::string>& paths = unfinished().paths;
    std::error_code ignored;
    // Locks were made first and are removed last. A thread may still be writing into a folder: twice.
    for (int pass = 0; pass < 2; ++pass) {
        for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
            std::filesystem::remove_all(*path, ignored);
        }
    }
}

}  // namespace

void remove_unfinished_for_ever() noexcept {
    unfinished().mutex.lock();
    remove_all_unfinished();
}

void try_remove_unfinished_for_ever() noexcept {
    for (int attempt = 0; attempt < 100; ++attempt) {
        if (unfinished().mutex.try_lock()) return remove_all_unfinished();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

}  // namespace gannet::data
