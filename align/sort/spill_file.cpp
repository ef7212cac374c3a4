// SPDX-License-Identifier: MIT
// Provides the temporary file of the sort: unnamed, appended to without a lock, checked by hash when it is
// read back.
#include "align/sort/spill_file.hpp"

#include "data/error.hpp"
#include "data/threads.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

namespace gannet::align::sort {
namespace {

constexpr size_t k_verified_bytes = size_t{256} << 10;  // at a time

}  // namespace

SpillFile::~SpillFile() {
    if (file_ >= 0) ::close(file_);
}

void SpillFile::fail(const char* what, int error) const {
    const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    throw data::Error(full ? data::ErrorKind::disk_space : data::ErrorKind::output_failed,
                      directory_ + ": cannot " + what + " the temporary file of the sort after " +
                          std::to_string(bytes() >> 20) + " MiB: " + std::strerror(error) +
                          (full ? "; free space there, give another folder (--tmp) or more memory (--memory)"
                                : "; give another folder (--tmp)"));
}

void SpillFile::open() {
    if (!name_.empty()) {
        file_ = ::open((directory_ + "/" + name_).c_str(),
                       O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
        struct stat status {};
        const bool other = file_ < 0 ? errno == EISDIR || errno == ELOOP || errno == ENXIO
                                     : ::fstat(file_, &status) == 0 && !S_ISREG(status.st_mode);
        if (other) fail_damaged();
        if (file_ < 0) fail("make", errno);
        return;
    }
    file_ = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file_ >= 0) return;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) fail("make", errno);
    // File systems without unnamed files: named for a moment.
    std::string path = directory_ + "/gannet-sort-XXXXXX";
    file_ = ::mkostemp(path.data(), O_CLOEXEC);
    if (file_ < 0) fail("make", errno);
    ::unlink(path.c_str());
}

void SpillFile::sync() const {
    // EINVAL and ENOSYS: a file system that cannot.
    if (file_ >= 0 && ::fdatasync(file_) != 0 && errno != EINVAL && errno != ENOSYS) fail("write to", errno);
}

void SpillFile::resume(uint64_t end) {
    std::call_once(opened_, [this] { open(); });
    struct stat status {};
    if (::fstat(file_, &status) != 0) fail("read", errno);
    if (static_cast<uint64_t>(status.st_size) < end) {
        fail_damaged();
    }
    if (::ftruncate(file_, static_cast<off_t>(end)) != 0) fail("write to", errno);
    end_.store(end, std::memory_order_relaxed);
}

SpillExtent SpillFile::write(std::span<const uint8_t> bytes) {
    std::call_once(opened_, [this] { open(); });
    SpillExtent extent;
    extent.size_bytes = bytes.size();
    extent.hash = XXH3_64bits(bytes.data(), bytes.size());
    extent.offset = end_.fetch_add(bytes.size(), std::memory_order_relaxed);
    for (size_t done = 0; done < bytes.size();) {
        const ssize_t wrote = ::pwrite(file_, bytes.data() + done, bytes.size() - done,
                                       static_cast<off_t>(extent.offset + done));
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) fail("write to", wrote < 0 ? errno : ENOSPC);
        done += static_cast<size_t>(wrote);
    }
    return extent;
}

void SpillFile::read_fully(uint64_t offset, std::span<uint8_t> out) const {
    for (size_t done = 0; done < out.size();) {
        const ssize_t got =
            ::pread(file_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) fail_damaged();
        if (got < 0) fail("read", errno);
        done += static_cast<size_t>(got);
    }
}

void SpillFile::read(const SpillExtent& extent, std::span<uint8_t> out) const {
    if (out.size() < extent.size_bytes) fail_damaged();
    read_fully(extent.offset, out.first(extent.size_bytes));
    if (XXH3_64bits(out.data(), extent.size_bytes) != extent.hash) fail_damaged();
}

void SpillFile::verify(const std::vector<SpillExtent>& extents, unsigned threads) const {
    data::for_each_index(threads, extents.size(), [&](size_t i) {
        const SpillExtent& extent = extents[i];
        if (!holds(extent)) fail_damaged();
        thread_local std::vector<uint8_t> piece(k_verified_bytes);
        const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                             XXH3_freeState);
        if (!state) throw std::bad_alloc();
        XXH3_64bits_reset(state.get());
        for (uint64_t at = 0; at < extent.size_bytes; at += piece.size()) {
            const std::span<uint8_t> part =
                std::span(piece).first(std::min<uint64_t>(piece.size(), extent.size_bytes - at));
            read_fully(extent.offset + at, part);
            XXH3_64bits_update(state.get(), part.data(), part.size());
        }
        if (XXH3_64bits_digest(state.get()) != extent.hash) fail_damaged();
    });
}

void SpillFile::fail_damaged() const {
    if (name_.empty()) fail("read back (damaged)", EIO);
    throw data::Error(data::ErrorKind::malformed_input,
                      directory_ + "/" + name_ +
                          ": is not what an earlier run wrote there: remove the folder " + directory_ +
                          " and run again");
}

void SpillFile::release(const SpillExtent& extent) noexcept {
    // Not every file system can; then the space comes back with the file's end.
    if (extent.size_bytes != 0 && name_.empty()) {
        (void)::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                          static_cast<off_t>(extent.offset), static_cast<off_t>(extent.size_bytes));
    }
}

}  // namespace gannet::align::sort
