// SPDX-License-Identifier: MIT
// Provides the recognition of the FASTA that an index was made from.
#include "align/index/source_file.hpp"

#include "data/error.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gannet::align {
namespace {

constexpr uint64_t k_samples = 16;
constexpr uint64_t k_sample_bytes = 4096;

[[noreturn]] void fail(const std::string& path) {
    if (!data::open_files_advice(errno).empty()) data::throw_cannot_open(path, errno);
    data::throw_malformed(path, std::string("cannot be read: ") + std::strerror(errno));
}

uint64_t hash_samples(int descriptor, uint64_t size_bytes, const std::string& path) {
    std::array<uint8_t, k_samples * k_sample_bytes> bytes{};
    uint64_t filled = 0;
    const uint64_t last = size_bytes > k_sample_bytes ? size_bytes - k_sample_bytes : 0;
    const uint64_t samples =
        std::clamp<uint64_t>((size_bytes + k_sample_bytes - 1) / k_sample_bytes, 1, k_samples);
    for (uint64_t i = 0; i < samples; ++i) {
        const uint64_t at = samples == 1 ? 0 : last / (samples - 1) * i;
        const uint64_t offset = i + 1 == samples ? last : at;
        // A file system may give less than was asked for, and the rest at the next call.
        for (uint64_t done = 0; done < k_sample_bytes;) {
            const ssize_t got = pread(descriptor, bytes.data() + filled, k_sample_bytes - done,
                                      static_cast<off_t>(offset + done));
            if (got < 0) fail(path);
            if (got == 0) break;
            filled += static_cast<uint64_t>(got);
            done += static_cast<uint64_t>(got);
        }
    }
    return XXH3_64bits(bytes.data(), filled);
}

}  // namespace

SourceFile SourceFile::of(const std::string& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(path);
    struct Closer {
        int descriptor;
        ~Closer() { close(descriptor); }
    } const closer{descriptor};
    struct stat status {};
    if (fstat(descriptor, &status) != 0) fail(path);
    SourceFile file;
    file.size_bytes = static_cast<uint64_t>(status.st_size);
    const int64_t modified = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    if (now.count() - modified >= k_settling_ns) file.modified_ns = modified;
    if (S_ISREG(status.st_mode)) file.sample_hash = hash_samples(descriptor, file.size_bytes, path);
    return file;
}

}  // namespace gannet::align
