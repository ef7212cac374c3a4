// SPDX-License-Identifier: MIT
// Provides faults of a file system: preloaded (LD_PRELOAD), it lets one system call on a file under a folder
// fail, or keeps a record of all that changes files and folders there, from which a loss of power is played.
//
// FAULT_UNDER=FOLDER   which files: those whose path begins with it
// FAULT_CALL=NAME      open, create (open that may make the file), read, write, sync, close, rename, unlink,
//                      truncate, mkdir, map, state (stat), lock, list (opendir), or all of them
// FAULT_AT=N           which of these calls, counted from 1; 0: none
// FAULT_HOW=EIO|ESTALE|ENOSPC|ENOMEM|short|gone   an error; half of the bytes (read and write); EIO of this
//                      call and of all after it, as where a server is gone
// FAULT_COUNT=FILE     where the number of these calls is written at the end of the process
// FAULT_RECORD=FILE    where the changes are appended (tests/support/power_loss.py reads them)
#include "tests/support/fault_record.hpp"

#include <climits>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using gannet::tests::next_function;
using gannet::tests::path_of;
using gannet::tests::Record;
using gannet::tests::record;
using gannet::tests::setting;

enum class Fault { none, error, short_count };

std::atomic<long> calls{0};

int error_number() {
    const std::string_view how = setting("FAULT_HOW");
    return how == "ESTALE" ? ESTALE : how == "ENOSPC" ? ENOSPC : how == "ENOMEM" ? ENOMEM : EIO;
}

bool is_counted(std::string_view name) {
    const std::string_view call = setting("FAULT_CALL");
    return call == name || call == "all";
}

/// Whether this call, of the kind `name` on a file of this path, is one that fails.
Fault fault_of(const char* name, const std::string& path) {
    const std::string_view under = setting("FAULT_UNDER");
    if (!is_counted(name) || under.empty() || !path.starts_with(under)) return Fault::none;
    const long number = ++calls, at = std::atol(setting("FAULT_AT"));
    const std::string_view how = setting("FAULT_HOW");
    if (at == 0 || number < at || (number > at && how != "gone")) return Fault::none;
    if (how == "short") return Fault::short_count;
    errno = error_number();
    return Fault::error;
}

Fault fault_of(const char* name, int descriptor) {
    return is_counted(name) ? fault_of(name, path_of(descriptor)) : Fault::none;
}

int open_or_fail(const char* name, const char* path, int flags, mode_t mode) {
    const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    if (fault_of(creates ? "create" : "open", path_of(path)) != Fault::none) return -1;
    using Function = int (*)(const char*, int, ...);
    const auto real = next_function<Function>(name);
    const Record recording = record();
    const int descriptor = real(path, flags, mode);
    if (descriptor >= 0 && (flags & (O_CREAT | O_TRUNC)) != 0) recording.opened(descriptor, flags);
    return descriptor;
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

void write_count() {
    const char* const path = setting("FAULT_COUNT");
    if (*path == '\0') return;
    if (FILE* const file = std::fopen(path, "w")) {
        std::fprintf(file, "%ld\n", calls.load());
        std::fclose(file);
    }
}

/// A run that succeeded ends by quick_exit, others by exit.
struct CountWriter {
    CountWriter() { std::at_quick_exit(write_count); }
    ~CountWriter() { write_count(); }
} count_writer;

int remove_or_fail(const char* name, const char* path) {
    if (fault_of("unlink", path_of(path)) != Fault::none) return -1;
    const Record recording = record();
    const int result = next_function<int (*)(const char*)>(name)(path);
    if (result == 0) recording.removed(path_of(path));
    return result;
}

int sync_or_fail(const char* name, int descriptor) {
    if (fault_of("sync", descriptor) != Fault::none) return -1;
    record().sync_begins(descriptor);
    const int result = next_function<int (*)(int)>(name)(descriptor);
    if (result == 0) record().sync_ends(descriptor);
    return result;
}

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

FILE* fopen(const char* path, const char* mode) {
    if (fault_of(*mode == 'r' ? "open" : "create", path_of(path)) != Fault::none) return nullptr;
    return next_function<FILE* (*)(const char*, const char*)>("fopen")(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
    if (fault_of(*mode == 'r' ? "open" : "create", path_of(path)) != Fault::none) return nullptr;
    return next_function<FILE* (*)(const char*, const char*)>("fopen64")(path, mode);
}

ssize_t read(int descriptor, void* bytes, size_t size) {
    const ssize_t count = allowed("read", descriptor, size);
    static const auto real = next_function<ssize_t (*)(int, void*, size_t)>("read");
    return count < 0 ? -1 : real(descriptor, bytes, static_cast<size_t>(count));
}

ssize_t pread(int descriptor, void* bytes, size_t size, off_t offset) {
    const ssize_t count = allowed("read", descriptor, size);
    static const auto real = next_function<ssize_t (*)(int, void*, size_t, off_t)>("pread");
    return count < 0 ? -1 : real(descriptor, bytes, static_cast<size_t>(count), offset);
}

ssize_t pread64(int descriptor, void* bytes, size_t size, off64_t offset) {
    return pread(descriptor, bytes, size, offset);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
    const ssize_t count = allowed("write", descriptor, size);
    if (count < 0) return -1;
    static const auto real = next_function<ssize_t (*)(int, const void*, size_t)>("write");
    const Record recording = record();
    const ssize_t written = real(descriptor, bytes, static_cast<size_t>(count));
    recording.wrote(descriptor, bytes, written, -1);
    return written;
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
    const ssize_t count = allowed("write", descriptor, size);
    if (count < 0) return -1;
    static const auto real = next_function<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
    const Record recording = record();
    const ssize_t written = real(descriptor, bytes, static_cast<size_t>(count), offset);
    recording.wrote(descriptor, bytes, written, offset);
    return written;
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t offset) {
    return pwrite(descriptor, bytes, size, offset);
}

int fsync(int descriptor) { return sync_or_fail("fsync", descriptor); }
int fdatasync(int descriptor) { return sync_or_fail("fdatasync", descriptor); }

/// The descriptor is closed all the same, as the kernel does.
int close(int descriptor) {
    const bool fails = fault_of("close", descriptor) != Fault::none;
    const int cause = errno;
    static const auto real = next_function<int (*)(int)>("close");
    const int result = real(descriptor);
    if (fails) errno = cause;
    return fails ? -1 : result;
}

int rename(const char* from, const char* to) noexcept {
    if (fault_of("rename", path_of(from)) != Fault::none) return -1;
    const Record recording = record();
    const int result = next_function<int (*)(const char*, const char*)>("rename")(from, to);
    if (result == 0) recording.renamed(path_of(from), path_of(to));
    return result;
}

int unlink(const char* path) noexcept { return remove_or_fail("unlink", path); }
int remove(const char* path) noexcept { return remove_or_fail("remove", path); }
int rmdir(const char* path) noexcept { return remove_or_fail("rmdir", path); }

int unlinkat(int folder, const char* path, int flags) noexcept {
    const std::string whole = *path == '/' ? std::string(path) : path_of(folder) + "/" + path;
    if (fault_of("unlink", whole) != Fault::none) return -1;
    const Record recording = record();
    const int result = next_function<int (*)(int, const char*, int)>("unlinkat")(folder, path, flags);
    if (result == 0) recording.removed(whole);
    return result;
}

int ftruncate(int descriptor, off_t size) noexcept {
    if (fault_of("truncate", descriptor) != Fault::none) return -1;
    const Record recording = record();
    const int result = next_function<int (*)(int, off_t)>("ftruncate")(descriptor, size);
    if (result == 0) recording.resized(descriptor, size);
    return result;
}

int ftruncate64(int descriptor, off64_t size) noexcept { return ftruncate(descriptor, size); }

int mkdir(const char* path, mode_t mode) noexcept {
    if (fault_of("mkdir", path_of(path)) != Fault::none) return -1;
    const Record recording = record();
    const int result = next_function<int (*)(const char*, mode_t)>("mkdir")(path, mode);
    if (result == 0) recording.made_folder(path_of(path));
    return result;
}

char* mkdtemp(char* path) noexcept {
    if (fault_of("mkdir", path_of(path)) != Fault::none) return nullptr;
    const Record recording = record();
    char* const result = next_function<char* (*)(char*)>("mkdtemp")(path);
    if (result != nullptr) recording.made_folder(path_of(path));
    return result;
}

void* mmap(void* at, size_t size, int protection, int flags, int descriptor, off_t offset) noexcept {
    if (descriptor >= 0 && fault_of("map", descriptor) != Fault::none) return MAP_FAILED;
    static const auto real = next_function<void* (*)(void*, size_t, int, int, int, off_t)>("mmap");
    return real(at, size, protection, flags, descriptor, offset);
}

void* mmap64(void* at, size_t size, int protection, int flags, int descriptor, off64_t offset) noexcept {
    return mmap(at, size, protection, flags, descriptor, offset);
}

int stat(const char* path, struct stat* status) noexcept {
    if (fault_of("state", path_of(path)) != Fault::none) return -1;
    return next_function<int (*)(const char*, struct stat*)>("stat")(path, status);
}

int lstat(const char* path, struct stat* status) noexcept {
    if (fault_of("state", path_of(path)) != Fault::none) return -1;
    return next_function<int (*)(const char*, struct stat*)>("lstat")(path, status);
}

int fstat(int descriptor, struct stat* status) noexcept {
    if (fault_of("state", descriptor) != Fault::none) return -1;
    static const auto real = next_function<int (*)(int, struct stat*)>("fstat");
    return real(descriptor, status);
}

int flock(int descriptor, int operation) noexcept {
    if (fault_of("lock", descriptor) != Fault::none) return -1;
    return next_function<int (*)(int, int)>("flock")(descriptor, operation);
}

DIR* opendir(const char* path) {
    if (fault_of("list", path_of(path)) != Fault::none) return nullptr;
    return next_function<DIR* (*)(const char*)>("opendir")(path);
}

}  // extern "C"
