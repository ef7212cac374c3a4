// SPDX-License-Identifier: MIT
// Provides the lock of an output: of two processes that would write the same file, one does.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gannet::data {

/// An exclusive lock (flock) on the hidden file ".NAME.lock" beside the output, held as long as the object
/// lives. The file says who holds it. The lock ends with the process, however that ends; what is left of the
/// file is taken over by the next process. It is removed at the end and by signals.
class OutputLock {
  public:
    /// Whether to end at once or to wait where another process holds the lock.
    using OnWait = std::function<void(const std::string& holder)>;

    /// `path`: a file as OutputPath::path has it. Throws Error(output_failed) "PATH: is being written by
    /// HOLDER" where another process holds the lock, and where a lock file cannot be made. With `on_wait` it
    /// calls that with the holder instead and waits for the other process.
    explicit OutputLock(const std::string& path, const OnWait& on_wait = nullptr);
    ~OutputLock();
    OutputLock(OutputLock&& other) noexcept;
    OutputLock& operator=(OutputLock&&) = delete;

    bool waited() const { return waited_; }
    /// False on file systems that have no locks: two processes are not kept apart there (their partial files
    /// are).
    bool supported() const { return supported_; }

    /// Removes what PartialFile left for `path`, an output that this lock covers, in processes that were
    /// killed, and returns the names. While the lock is held no live process has such files.
    std::vector<std::string> remove_leftovers(const std::string& path) const;

  private:
    int open_lock_file() const;
    bool try_lock(const OnWait& on_wait);
    [[noreturn]] void refuse(const std::string& cause) const;

    std::string path_;
    std::string lock_path_;
    int descriptor_ = -1;
    bool waited_ = false;
    bool supported_ = true;
};

/// "gannet run ref.fa ... (pid 12, host a, since 2026-11-21 23:15:49 UTC)" of this process.
std::string process_description();

}  // namespace gannet::data
