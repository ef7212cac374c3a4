// SPDX-License-Identifier: MIT
// Provides temporary folders that are removed with the run, or by the next run where this one is killed.
#pragma once

#include <string>

namespace gannet::pipeline {

/// A new folder ".gannet-tmp-XXXXXX" (mkdtemp, mode 0700) below `parent`, removed with all it holds at the
/// end of its life or by a signal. A lock in it lasts as long as the process: folders below `parent` whose
/// process is dead (same user, lock free) are removed first, and reported. Other folders are never used nor
/// removed. Throws Error(disk_space) where `parent` does not exist or cannot be written to.
class TemporaryFolder {
  public:
    explicit TemporaryFolder(const std::string& parent);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

  private:
    bool make(const std::string& parent);

    std::string path_;
    int lock_ = -1;
};

/// What killed runs left below `parent`, as above: for a run that needs no folder of its own.
void remove_dead_temporary_folders(const std::string& parent);

/// Error(disk_space) unless `path` (--tmp) is a folder that can be written to.
void check_temporary_parent(const std::string& path);

}  // namespace gannet::pipeline
