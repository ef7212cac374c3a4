// SPDX-License-Identifier: MIT
// Provides checked writing of files under a partial name.
#include "data/output_file.hpp"

#include "data/error.hpp"
#include "data/index_names.hpp"
#include "data/unfinished.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace gannet::data {
namespace {

constexpr std::string_view k_partial = ".partial.";
constexpr size_t k_random_digits = 12;
static_assert(PartialFile::k_more_letters == k_partial.size() + k_random_digits);
constexpr int k_max_attempts = 100;

std::string random_digits() {
    static constexpr std::string_view k_digits = "0123456789abcdef";
    std::random_device random;
    std::string text;
    for (size_t i = 0; i < k_random_digits; ++i) text += k_digits[random() % k_digits.size()];
    return text;
}

std::string folder_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

void sync_folder_of(const std::string& path) {
    const int error = sync_folder(folder_of(path));
    if (error != 0) throw_output_failed(path, error);
}

/// Whether there was one.
bool remove_old_indexes(const std::string& file, const std::string& new_index) {
    bool removed = false;
    for (const std::string& name : index_names_of(file)) {
        struct stat status {};
        if (!new_index.empty() && resolve_output(name).path == new_index) {
            removed |= unlink(new_index.c_str()) == 0;  // through a symbolic link, which stays
        } else if (lstat(name.c_str(), &status) == 0 &&
                   (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode))) {
            // Of a link to an index of another kind the link itself, never its target.
            removed |= unlink(name.c_str()) == 0;
        }
    }
    return removed;
}

int open_in_place(const OutputPath& target) {
    if (target.kind == OutputPath::Kind::descriptor) return fcntl(target.descriptor, F_DUPFD_CLOEXEC, 3);
    return open(target.path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
}

}  // namespace

int sync_folder(const std::string& folder) {
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno == EACCES ? 0 : errno;
    const int error = fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS ? 0 : errno;
    close(descriptor);
    return error;
}

void throw_output_failed(const std::string& path, int error_number) {
    const std::string what = path == "-" ? "standard output" : path;
    const int error = error_number != 0 ? error_number : EIO;
    if (error == EBADF && path == "-") {
        throw Error(ErrorKind::output_failed, "standard output is closed: open it, or name a file with -o");
    }
    if (error == EPIPE) {
        throw Error(ErrorKind::output_failed, path == "-" ? "standard output was closed"
                                                          : path + ": cannot be written: its reader ended");
    }
    std::string advice;
    if (error == ENOSPC || error == EDQUOT) advice = "; free some space or choose another folder";
    if (error == EFBIG) advice = "; raise the limit of file sizes (ulimit -f) or choose another file system";
    ErrorKind kind = advice.empty() ? ErrorKind::output_failed : ErrorKind::disk_space;
    if (const std::string of_limit = open_files_advice(error); !of_limit.empty()) {
        advice = of_limit;
        kind = ErrorKind::host_memory;
    }
    throw Error(kind, what + ": cannot be written: " + std::strerror(error) + advice);
}

PartialFile::PartialFile(const std::string& path) : path_(path) {
    OutputPath target = resolve_output(path);
    if (target.kind != OutputPath::Kind::file) {
        throw Error(ErrorKind::output_failed, path + ": a regular file is needed here: choose another name");
    }
    final_ = std::move(target.path);
    for (int attempt = 0; attempt < k_max_attempts; ++attempt) {
        const std::string name = final_ + std::string(k_partial) + random_digits();
        const auto lock = lock_unfinished();
        descriptor_ = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor_ >= 0) {
            add_unfinished(name);
            partial_ = name;
            return;
        }
        if (errno != EEXIST) throw_output_failed(path_, errno);
    }
    throw_output_failed(path_, EEXIST);
}

PartialFile::~PartialFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (partial_.empty()) return;
    const auto lock = lock_unfinished();
    unlink(partial_.c_str());
    forget_unfinished(partial_);
}

std::string PartialFile::name_to_open() const {
    const std::string name = "/proc/self/fd/" + std::to_string(descriptor_);
    return access(name.c_str(), F_OK) == 0 ? name : partial_;  // without /proc
}

void PartialFile::close_synced() {
    // EINVAL and ENOSYS: a file system that cannot.
    if (fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) throw_output_failed(path_, errno);
    if (close(std::exchange(descriptor_, -1)) != 0) throw_output_failed(path_, errno);
}

void PartialFile::commit(PartialFile* index) {
    close_synced();
    if (index != nullptr) index->close_synced();
    {
        const auto lock = lock_unfinished();
        const auto rename_one = [](PartialFile& file) {
            if (std::rename(file.partial_.c_str(), file.final_.c_str()) != 0) {
                throw_output_failed(file.path_, errno);
            }
            forget_unfinished(std::exchange(file.partial_, {}));
        };
        // A loss of power may keep a later change of a folder and lose an earlier one that was not synced.
        if (index != nullptr && remove_old_indexes(final_, index->final_)) sync_folder_of(index->final_);
        rename_one(*this);
        if (index != nullptr) {
            sync_folder_of(final_);
            rename_one(*index);
        }
    }
    // Without the lock, so that files that are committed side by side do not wait for each other's.
    sync_folder_of(index != nullptr ? index->final_ : final_);
}

void remove_old_file(const std::string& path) {
    const OutputPath target = resolve_output(path);
    if (target.kind != OutputPath::Kind::file) return;
    if (unlink(target.path.c_str()) != 0) {
        if (errno == ENOENT) return;
        throw_output_failed(path, errno);
    }
    sync_folder_of(target.path);
}

void remove_old_indexed_file(const std::string& path) {
    for (const std::string& name : index_names_of(path)) {
        struct stat status {};
        if (lstat(name.c_str(), &status) == 0 && S_ISREG(status.st_mode)) remove_old_file(name);
    }
    remove_old_file(path);
}

bool is_partial_name_of(std::string_view name, std::string_view final_name) {
    if (name.size() != final_name.size() + k_partial.size() + k_random_digits) return false;
    return name.starts_with(final_name) && name.substr(final_name.size()).starts_with(k_partial) &&
           name.find_first_not_of("0123456789abcdef", final_name.size() + k_partial.size()) ==
               std::string_view::npos;
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
    const OutputPath target = resolve_output(path);
    if (target.kind == OutputPath::Kind::file) {
        partial_.emplace(path);
        return;
    }
    descriptor_ = open_in_place(target);
    if (descriptor_ < 0) throw_output_failed(path, errno);
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) close(descriptor_);
}

void OutputFile::write(std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw_output_failed(path_, written < 0 ? errno : EIO);
        bytes = bytes.subspan(static_cast<size_t>(written));
    }
}

void OutputFile::write_at(std::span<const uint8_t> bytes, uint64_t offset) const {
    while (!bytes.empty()) {
        const ssize_t written =
            ::pwrite(descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw_output_failed(path_, written < 0 ? errno : EIO);
#ifdef SYNC_FILE_RANGE_WRITE
        // The disk begins at once, so that little is left to wait for when the file is committed.
        if (partial_)
            sync_file_range(descriptor(), static_cast<off_t>(offset), written, SYNC_FILE_RANGE_WRITE);
#endif
        bytes = bytes.subspan(static_cast<size_t>(written));
        offset += static_cast<uint64_t>(written);
    }
}

void OutputFile::commit(PartialFile* index) {
    if (partial_) {
        partial_->commit(index);
    } else if (descriptor_ >= 0 && close(std::exchange(descriptor_, -1)) != 0) {
        throw_output_failed(path_, errno);
    }
}

}  // namespace gannet::data
