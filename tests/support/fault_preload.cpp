// SPDX-License-Identifier: MIT
// Provides faults of a file system: preloaded (LD_PRELOAD), it lets one system call on a file under a folder
// fail.
//
// FAULT_UNDER=FOLDER   which files: those whose path begins with it
// FAULT_CALL=NAME      open, read, write, sync, close, rename, unlink, truncate or mkdir
// FAULT_AT=N           which of these calls, counted from 1; 0: none
// FAULT_HOW=EIO|ESTALE|short   an error, or half of the bytes (read and write)
// FAULT_COUNT=FILE     where the number of these calls is written at the end of the process
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <climits>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace {

enum class Fault { none, error, short_count };

const char* setting(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::atomic<long> calls{0};

/// Whether this call, of the kind `name` on a file of this path, is the one that fails.
Fault fault_of(const char* name, const char* path) {
    if (std::strcmp(setting("FAULT_CALL"), name) != 0) return Fault::none;
    const char* const under = setting("FAULT_UNDER");
    if (*under == '\0' || std::strncmp(path, under, std::strlen(under)) != 0) return Fault::none;
    if (++calls != std::atol(setting("FAULT_AT"))) return Fault::none;
    if (std::strcmp(setting("FAULT_HOW"), "short") == 0) return Fault::short_count;
    errno = std::strcmp(setting("FAULT_HOW"), "ESTALE") == 0 ? ESTALE : EIO;
    return Fault::error;
}

Fault fault_of(const char* name, int descriptor) {
    if (std::strcmp(setting("FAULT_CALL"), name) != 0) return Fault::none;
    const int kept = errno;
    char path[PATH_MAX];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t size = readlink(link.c_str(), path, sizeof path - 1);
    errno = kept;
    if (size <= 0) return Fault::none;
    path[size] = '\0';
    return fault_of(name, path);
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int open_or_fail(const char* name, const char* path, int flags, mode_t mode) {
    if (fault_of("open", path) != Fault::none) return -1;
    static const auto real = next<int (*)(const char*, int, ...)>(name);
    return real(path, flags, mode);
}

mode_t mode_of(int flags, va_list& arguments) {
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

/// Bytes to be read or written of `size`; -1 where the call fails.
ssize_t allowed(const char* name, int descriptor, size_t size) {
    switch (fault_of(name, descriptor)) {
        case Fault::error:
            return -1;
        case Fault::short_count:
            return static_cast<ssize_t>(size - size / 2);
        default:
            return static_cast<ssize_t>(size);
    }
}

struct CountWriter {
    ~CountWriter() {
        const char* const path = setting("FAULT_COUNT");
        if (*path == '\0') return;
        if (FILE* const file = std::fopen(path, "w")) {
            std::fprintf(file, "%ld\n", calls.load());
            std::fclose(file);
        }
    }
} count_writer;

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_or_fail("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_or_fail("open64", path, flags, mode);
}

ssize_t read(int descriptor, void* bytes, size_t size) {
    static const auto real = next<ssize_t (*)(int, void*, size_t)>("read");
    const ssize_t count = allowed("read", descriptor, size);
    return count < 0 ? -1 : real(descriptor, bytes, static_cast<size_t>(count));
}

ssize_t pread(int descriptor, void* bytes, size_t size, off_t offset) {
    static const auto real = next<ssize_t (*)(int, void*, size_t, off_t)>("pread");
    const ssize_t count = allowed("read", descriptor, size);
    return count < 0 ? -1 : real(descriptor, bytes, static_cast<size_t>(count), offset);
}

ssize_t pread64(int descriptor, void* bytes, size_t size, off64_t offset) {
    return pread(descriptor, bytes, size, offset);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
    static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
    const ssize_t count = allowed("write", descriptor, size);
    return count < 0 ? -1 : real(descriptor, bytes, static_cast<size_t>(count));
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
    static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
    const ssize_t count = allowed("write", descriptor, size);
    return count < 0 ? -1 : real(descriptor, bytes, static_cast<size_t>(count), offset);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t offset) {
    return pwrite(descriptor, bytes, size, offset);
}

int fsync(int descriptor) {
    static const auto real = next<int (*)(int)>("fsync");
    return fault_of("sync", descriptor) == Fault::none ? real(descriptor) : -1;
}

int fdatasync(int descriptor) {
    static const auto real = next<int (*)(int)>("fdatasync");
    return fault_of("sync", descriptor) == Fault::none ? real(descriptor) : -1;
}

/// The descriptor is closed all the same, as the kernel does.
int close(int descriptor) {
    static const auto real = next<int (*)(int)>("close");
    const bool fails = fault_of("close", descriptor) != Fault::none;
    const int cause = errno;
    const int result = real(descriptor);
    if (fails) errno = cause;
    return fails ? -1 : result;
}

int rename(const char* from, const char* to) noexcept {
    static const auto real = next<int (*)(const char*, const char*)>("rename");
    return fault_of("rename", from) == Fault::none ? real(from, to) : -1;
}

int unlink(const char* path) noexcept {
    static const auto real = next<int (*)(const char*)>("unlink");
    return fault_of("unlink", path) == Fault::none ? real(path) : -1;
}

int ftruncate(int descriptor, off_t size) noexcept {
    static const auto real = next<int (*)(int, off_t)>("ftruncate");
    return fault_of("truncate", descriptor) == Fault::none ? real(descriptor, size) : -1;
}

int mkdir(const char* path, mode_t mode) noexcept {
    static const auto real = next<int (*)(const char*, mode_t)>("mkdir");
    return fault_of("mkdir", path) == Fault::none ? real(path, mode) : -1;
}

}  // extern "C"
