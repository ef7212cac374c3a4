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
///
/// With a `name` it is an ordinary file that outlives the process, as a checkpoint needs it: release() frees
/// nothing, sync() makes what was written last through a loss of power, and resume() goes on after the first
/// `end` bytes of the file of an earlier run.
class SpillFile {
  public:
    explicit SpillFile(std::string directory, std::string name = "")
        : directory_(std::move(directory)), name_(std::move(name)) {}
    ~SpillFile();
    SpillFile(const SpillFile&) = delete;
    SpillFile& operator=(const SpillFile&) = delete;

    SpillExtent write(std::span<const uint8_t> bytes);
    /// Reads an extent; `out` has size_bytes bytes.
    void read(const SpillExtent& extent, std::span<uint8_t> out) const;
    /// Gives the extent's disk space back where the file system can do that.
    void release(const SpillExtent& extent) noexcept;
    void sync() const;
    /// Before the first write. Throws Error(malformed_input) where the file is shorter, or no file.
    void resume(uint64_t end);
    bool holds(const SpillExtent& extent) const {
        return extent.offset <= bytes() && extent.size_bytes <= bytes() - extent.offset;
    }
    /// Reads extents of an earlier run from several threads and compares their hashes. Throws
    /// Error(malformed_input) where one is not what was written.
    void verify(const std::vector<SpillExtent>& extents, unsigned threads) const;
    /// What was read is not what was written: Error(malformed_input) for a file with a name, which tells the
    /// user to remove its folder.
    [[noreturn]] void fail_damaged() const;
    uint64_t bytes() const { return end_.load(std::memory_order_relaxed); }

  private:
    void open();
    void read_fully(uint64_t offset, std::span<uint8_t> out) const;
    [[noreturn]] void fail(const char* what, int error) const;

    std::string directory_;
    std::string name_;
    std::once_flag opened_;
    int file_ = -1;
    std::atomic<uint64_t> end_{0};
};

}  // namespace gannet::align::sort
