// SPDX-License-Identifier: MIT
// Provides an unnamed temporary file that several threads append to and read back from: nothing of it
// outlives the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace gannet::align::sort {

/// A stretch of the spill file.
struct SpillExtent {
    uint64_t offset = 0;
    uint64_t size_bytes = 0;
    uint64_t hash = 0;  ///< XXH3 of the bytes
};

/// Made on the first write, in `directory`, without a name (O_TMPFILE, or unlinked at once), so that a killed
/// run leaves nothing. write() and read() are thread-safe. Throws Error(disk_space) when space or a limit
/// ends, else Error(output_failed).
class SpillFile {
  public:
    explicit SpillFile(std::string directory) : directory_(std::move(directory)) {}
    ~SpillFile();
    SpillFile(const SpillFile&) = delete;
    SpillFile& operator=(const SpillFile&) = delete;

    SpillExtent write(std::span<const uint8_t> bytes);
    /// Reads an extent; `out` has size_bytes bytes.
    void read(const SpillExtent& extent, std::span<uint8_t> out) const;
    /// Gives the extent's disk space back where the file system can do that.
    void release(const SpillExtent& extent) noexcept;
    uint64_t bytes() const { return end_.load(std::memory_order_relaxed); }

  private:
    void open();
    [[noreturn]] void fail(const char* what, int error) const;

    std::string directory_;
    std::once_flag opened_;
    int file_ = -1;
    std::atomic<uint64_t> end_{0};
};

}  // namespace gannet::align::sort
