// SPDX-License-Identifier: MIT
// Provides the comparison of a file with what it was.
#include "data/file_state.hpp"

#include "data/error.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gannet::data {

FileState FileState::of(int descriptor) {
    FileState state;
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return state;
    state.regular = true;
    state.device = status.st_dev;
    state.inode = status.st_ino;
    state.size_bytes = static_cast<uint64_t>(status.st_size);
    state.modified_ns = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    const uint64_t size = std::min<uint64_t>(state.size_bytes, state.end.size());
    for (uint64_t done = 0; done < size;) {
        const ssize_t got = pread(descriptor, state.end.data() + done, size - done,
                                  static_cast<off_t>(state.size_bytes - size + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;  // who reads on will see why
        done += static_cast<uint64_t>(got);
    }
    return state;
}

FileState FileState::of(const std::string& path) {
    struct stat status {};
    // A pipe is not opened: its writer would take that for the reader.
    if (path == "-" || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return {};
    const FileState state = of(descriptor);
    close(descriptor);
    return state;
}

void FileState::require_unchanged(const std::string& name, const FileState& now) const {
    // Not its number: some network file systems give a file another one when they have forgotten it.
    const bool same =
        now.regular && size_bytes == now.size_bytes && modified_ns == now.modified_ns && end == now.end;
    if (!regular || same) return;
    std::string how = "its last bytes are others";
    if (!now.regular) {
        how = "it is gone";
    } else if (device != now.device || inode != now.inode) {
        how = "another file has its name";
    } else if (size_bytes != now.size_bytes) {
        how = "it has " + std::to_string(now.size_bytes) + " bytes instead of " + std::to_string(size_bytes);
    } else if (modified_ns != now.modified_ns) {
        how = "its time of change is another";
    }
    throw_malformed(
        name, "was changed while it was read (" + how + "): run again when no other program writes to it");
}

}  // namespace gannet::data
