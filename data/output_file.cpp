// SPDX-License-Identifier: MIT
// Provides checked writing of files under a partial name.
#include "data/output_file.hpp"

#include "data/error.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace gannet::data {

void throw_output_failed(const std::string& path, int error_number) {
    const bool full = error_number == ENOSPC || error_number == EDQUOT;
    throw Error(full ? ErrorKind::disk_space : ErrorKind::output_failed,
                path + ": cannot be written: " + std::strerror(error_number != 0 ? error_number : EIO) +
                    (full ? "; free some space or choose another folder" : ""));
}

bool is_written_in_place(const std::string& path) {
    struct stat status = {};
    return path == "-" || (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
}

PartialPath::~PartialPath() {
    if (!committed_) std::remove(partial_.c_str());
}

void PartialPath::commit() {
    if (std::rename(partial_.c_str(), path_.c_str()) != 0) throw_output_failed(path_, errno);
    committed_ = true;
}

OutputFile::OutputFile(const std::string& path) : name_(path), in_place_(is_written_in_place(path)) {
    if (path == "-") {
        file_ = dup(STDOUT_FILENO);
    } else {
        const std::string& target = in_place_ ? name_.path() : name_.partial();
        file_ = open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (file_ < 0) throw_output_failed(path, errno);
}

OutputFile::~OutputFile() {
    if (file_ >= 0) close(file_);
}

void OutputFile::write(std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw_output_failed(path(), errno);
        bytes = bytes.subspan(static_cast<size_t>(written));
    }
}

void OutputFile::finish() {
    if (file_ < 0) return;
    if (close(std::exchange(file_, -1)) != 0) throw_output_failed(path(), errno);
}

void OutputFile::commit() {
    finish();
    if (!in_place_) name_.commit();
}

}  // namespace gannet::data
