// SPDX-License-Identifier: MIT
// Provides what the fuzz targets share: bytes as a file that readers can open, and the seeds that mutation
// begins with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace gannet::fuzz {

/// Bytes under a path of their own, in memory.
class MemoryFile {
  public:
    MemoryFile(const uint8_t* bytes, size_t size) : file_(memfd_create("input", MFD_CLOEXEC)) {
        if (file_ < 0) std::abort();
        for (size_t at = 0; at < size;) {
            const ssize_t written = write(file_, bytes + at, size - at);
            if (written <= 0) std::abort();
            at += static_cast<size_t>(written);
        }
    }
    explicit MemoryFile(const std::string& text)
        : MemoryFile(reinterpret_cast<const uint8_t*>(text.data()), text.size()) {}
    ~MemoryFile() { close(file_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

  private:
    int file_;
};

/// Sound inputs of the target's format; each target defines its own.
std::vector<std::string> seeds();

}  // namespace gannet::fuzz

/// libFuzzer's entry: reads the bytes as the target's format. Only data::Error may be thrown on the way, and
/// is caught.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);
