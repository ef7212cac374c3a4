// SPDX-License-Identifier: MIT
// Provides the record of changes that fault_preload.cpp keeps: what is written, synced and renamed, in the
// order in which it happened.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <climits>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gannet::tests {

inline const char* setting(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

template <class Function>
Function next_function(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Absolute; of /proc/self/fd/N the file's.
inline std::string path_of(const char* path);
inline std::string path_of(int descriptor) {
    const int kept = errno;
    char path[PATH_MAX];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t size = readlink(link.c_str(), path, sizeof path);
    errno = kept;
    return size > 0 ? std::string(path, static_cast<size_t>(size)) : std::string();
}
inline std::string path_of(const char* path) {
    constexpr std::string_view k_descriptors = "/proc/self/fd/";
    if (std::string_view(path).starts_with(k_descriptors))
        return path_of(std::atoi(path + k_descriptors.size()));
    if (*path == '/') return path;
    const int kept = errno;
    char folder[PATH_MAX];
    const std::string whole = getcwd(folder, sizeof folder) != nullptr ? folder : "";
    errno = kept;
    return whole + "/" + path;
}

/// Events are lines of words, then, of "write", the bytes. They are written by system calls that are not
/// looked at. While a Record is held no other change happens, so that the file has the order of the changes.
/// Files are known by their numbers (inodes): "create" begins a new one.
///
///     create NUMBER PATH   truncate NUMBER SIZE   write NUMBER OFFSET SIZE   sync-begin NUMBER
///     sync-end NUMBER   rename FROM TO   remove PATH   mkdir NUMBER PATH
class Record {
  public:
    explicit Record(int file, std::mutex& mutex) : file_(file) {
        if (file >= 0) lock_ = std::unique_lock(mutex);
    }
    void opened(int descriptor, int flags) const {
        if (!is_wanted(descriptor)) return;
        struct stat status {};
        if (!state_of(descriptor, status)) return;
        if ((flags & O_EXCL) != 0 || status.st_size == 0)
            line("create " + std::to_string(status.st_ino) + " " + path_of(descriptor));
        if ((flags & O_TRUNC) != 0) line("truncate " + std::to_string(status.st_ino) + " 0");
    }
    void wrote(int descriptor, const void* bytes, ssize_t size, off_t offset) const {
        if (size <= 0 || !is_wanted(descriptor)) return;
        struct stat status {};
        if (!state_of(descriptor, status)) return;
        const off_t at = offset >= 0 ? offset : lseek(descriptor, 0, SEEK_CUR) - size;
        line("write " + std::to_string(status.st_ino) + " " + std::to_string(at) + " " +
             std::to_string(size));
        append(bytes, static_cast<size_t>(size));
    }
    void resized(int descriptor, off_t size) const {
        numbered("truncate", descriptor, " " + std::to_string(size));
    }
    void sync_begins(int descriptor) const { numbered("sync-begin", descriptor, ""); }
    void sync_ends(int descriptor) const { numbered("sync-end", descriptor, ""); }
    void renamed(const std::string& from, const std::string& to) const {
        if (is_wanted(from)) line("rename " + from + " " + to);
    }
    void removed(const std::string& path) const {
        if (is_wanted(path)) line("remove " + path);
    }
    void made_folder(const std::string& path) const {
        struct stat status {};
        if (is_wanted(path) && syscall(SYS_stat, path.c_str(), &status) == 0)
            line("mkdir " + std::to_string(status.st_ino) + " " + path);
    }

  private:
    bool is_wanted(const std::string& path) const {
        return file_ >= 0 && path.starts_with(setting("FAULT_UNDER"));
    }
    bool is_wanted(int descriptor) const { return file_ >= 0 && is_wanted(path_of(descriptor)); }
    static bool state_of(int descriptor, struct stat& status) {
        return syscall(SYS_fstat, descriptor, &status) == 0;
    }
    void numbered(const char* what, int descriptor, const std::string& more) const {
        struct stat status {};
        if (is_wanted(descriptor) && state_of(descriptor, status))
            line(what + (" " + std::to_string(status.st_ino)) + more);
    }
    void line(const std::string& text) const { append((text + "\n").data(), text.size() + 1); }
    void append(const void* bytes, size_t size) const {
        const int kept = errno;
        const auto* at = static_cast<const char*>(bytes);
        while (size > 0) {
            const long written = syscall(SYS_write, file_, at, size);
            if (written <= 0) std::abort();
            at += written;
            size -= static_cast<size_t>(written);
        }
        errno = kept;
    }

    int file_;
    std::unique_lock<std::mutex> lock_;
};

inline Record record() {
    static std::mutex mutex;
    static const int file = [] {
        const char* const path = setting("FAULT_RECORD");
        return *path == '\0' ? -1
                             : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path,
                                                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    }();
    return Record(file, mutex);
}

}  // namespace gannet::tests
