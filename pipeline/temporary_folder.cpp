// SPDX-License-Identifier: MIT
// Provides temporary folders.
#include "pipeline/temporary_folder.hpp"

#include "data/error.hpp"
#include "data/unfinished.hpp"
#include "pipeline/log.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view k_prefix = ".gannet-tmp-";
constexpr size_t k_random_letters = 6;  // of mkdtemp
constexpr const char* k_lock_name = "gannet.lock";
constexpr const char* k_no_lock_name = "gannet.no-lock";

[[noreturn]] void fail(const std::string& parent, const std::string& cause) {
    throw data::Error(data::ErrorKind::disk_space,
                      parent + ": cannot hold temporary files (" + cause + "): choose a folder with --tmp");
}

bool is_own_folder(const fs::path& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 0777) == 0700;
}

bool is_same_file(int descriptor, const std::string& path) {
    struct stat opened {};
    struct stat named {};
    return fstat(descriptor, &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// The lock goes last, so that a kill in between leaves a folder that the next run removes.
bool remove_with_content(const fs::path& folder) {
    std::error_code fault;
    fs::directory_iterator entries(folder, fault);
    for (; !fault && entries != fs::directory_iterator(); entries.increment(fault)) {
        std::error_code ignored;
        if (entries->path().filename() != k_lock_name) fs::remove_all(entries->path(), ignored);
    }
    unlink((folder / k_lock_name).c_str());
    return rmdir(folder.c_str()) == 0;
}

/// Removes `folder` where its lock is free. One without a lock file is removed only if it is empty: a process
/// that has just made it makes another.
void remove_if_dead(const fs::path& folder) {
    const std::string lock_path = (folder / k_lock_name).string();
    const int lock = open(lock_path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool removed = false;
    if (lock < 0) {
        removed = errno == ENOENT && rmdir(folder.c_str()) == 0;
    } else if (flock(lock, LOCK_EX | LOCK_NB) == 0 && is_same_file(lock, lock_path)) {
        removed = remove_with_content(folder);
    }
    if (removed) log_info("removed " + folder.string() + ", left by a run that was killed");
    if (lock >= 0) close(lock);
}

}  // namespace

void remove_dead_temporary_folders(const std::string& parent) {
    std::error_code fault;
    fs::directory_iterator entries(parent, fault);
    for (; !fault && entries != fs::directory_iterator(); entries.increment(fault)) {
        const std::string name = entries->path().filename().string();
        if (name.size() != k_prefix.size() + k_random_letters || !name.starts_with(k_prefix)) continue;
        if (is_own_folder(entries->path())) remove_if_dead(entries->path());
    }
}

void check_temporary_parent(const std::string& path) {
    std::error_code fault;
    if (!fs::exists(path, fault)) fail(path, "there is no such folder; create it first");
    if (!fs::is_directory(path, fault)) fail(path, "is not a folder");
    if (access(path.c_str(), W_OK | X_OK) != 0) fail(path, std::strerror(errno));
}

/// False where another process took the new folder for a dead one before its lock was held.
bool TemporaryFolder::make(const std::string& parent) {
    const auto guard = data::lock_unfinished();
    std::string name = (fs::path(parent) / (std::string(k_prefix) + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr) fail(parent, std::strerror(errno));
    data::add_unfinished(name);
    path_ = std::move(name);
    const std::string lock_path = path_ + "/" + k_lock_name;
    lock_ = open(lock_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    // Another process may have the lock and be removing the folder: wait, then see whether it is gone. A file
    // system without locks gets a file of another name, so that the folder is never taken for a dead one.
    if (lock_ >= 0 && flock(lock_, LOCK_EX) != 0 && errno != EINTR) {
        std::rename(lock_path.c_str(), (path_ + "/" + k_no_lock_name).c_str());
        close(std::exchange(lock_, -1));
        return true;
    }
    if (lock_ >= 0 && is_same_file(lock_, lock_path)) return true;
    const int cause = lock_ < 0 ? errno : ENOENT;
    if (lock_ >= 0) close(std::exchange(lock_, -1));
    remove_with_content(path_);
    data::forget_unfinished(path_);
    if (cause != ENOENT) fail(parent, std::strerror(cause));
    return false;
}

TemporaryFolder::TemporaryFolder(const std::string& parent) {
    check_temporary_parent(parent);
    remove_dead_temporary_folders(parent);
    for (int attempt = 0; attempt < 100; ++attempt) {
        if (make(parent)) return;
    }
    fail(parent, "folders made there disappear");
}

TemporaryFolder::~TemporaryFolder() {
    const auto guard = data::lock_unfinished();
    remove_with_content(path_);
    data::forget_unfinished(path_);
    if (lock_ >= 0) close(lock_);
}

}  // namespace gannet::pipeline
