// SPDX-License-Identifier: MIT
// Provides the temporary file of the sort: unnamed, appended to without a lock, checked by hash when it is
// read back.
#include "align/sort/spill_file.hpp"

#include "data/error.hpp"

#include <libdeflate.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace gannet::align::sort {
namespace {

struct CompressorDeleter {
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};
struct DecompressorDeleter {
    void operator()(libdeflate_decompressor* decompressor) const {
        libdeflate_free_decompressor(decompressor);
    }
};

libdeflate_compressor* thread_compressor() {
    thread_local const std::unique_ptr<libdeflate_compressor, CompressorDeleter> compressor(
        libdeflate_alloc_compressor(1));
    return compressor.get();
}

libdeflate_decompressor* thread_decompressor() {
    thread_local const std::unique_ptr<libdeflate_decompressor, DecompressorDeleter> decompressor(
        libdeflate_alloc_decompressor());
    return decompressor.get();
}

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
    file_ = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file_ >= 0) return;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) fail("make", errno);
    // File systems without unnamed files: named for a moment.
    std::string path = directory_ + "/gannet-sort-XXXXXX";
    file_ = ::mkostemp(path.data(), O_CLOEXEC);
    if (file_ < 0) fail("make", errno);
    ::unlink(path.c_str());
}

SpillExtent SpillFile::write(std::span<const uint8_t> bytes) {
    std::call_once(opened_, [this] { open(); });
    SpillExtent extent;
    extent.raw_bytes = bytes.size();
    std::unique_ptr<uint8_t[]> compressed;
    if (level_ > 0 && bytes.size() > 1) {
        compressed.reset(new uint8_t[bytes.size()]);
        const size_t size = libdeflate_deflate_compress(thread_compressor(), bytes.data(), bytes.size(),
                                                        compressed.get(), bytes.size() - 1);
        if (size != 0) bytes = {compressed.get(), size};
    }
    extent.stored_bytes = bytes.size();
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

void SpillFile::read(const SpillExtent& extent, std::span<uint8_t> out) const {
    std::unique_ptr<uint8_t[]> stored;
    uint8_t* to = out.data();
    const bool packed = extent.stored_bytes != extent.raw_bytes;
    if (packed) {
        stored.reset(new uint8_t[extent.stored_bytes]);
        to = stored.get();
    }
    for (size_t done = 0; done < extent.stored_bytes;) {
        const ssize_t got =
            ::pread(file_, to + done, extent.stored_bytes - done, static_cast<off_t>(extent.offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) fail("read", got < 0 ? errno : EIO);
        done += static_cast<size_t>(got);
    }
    if (XXH3_64bits(to, extent.stored_bytes) != extent.hash) fail("read back (damaged)", EIO);
    if (packed && libdeflate_deflate_decompress(thread_decompressor(), to, extent.stored_bytes, out.data(),
                                                extent.raw_bytes, nullptr) != LIBDEFLATE_SUCCESS) {
        fail("inflate", EIO);
    }
}

void SpillFile::release(const SpillExtent& extent) noexcept {
    // Not every file system can; then the space comes back with the file's end.
    if (extent.stored_bytes != 0) {
        (void)::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                          static_cast<off_t>(extent.offset), static_cast<off_t>(extent.stored_bytes));
    }
}

}  // namespace gannet::align::sort
