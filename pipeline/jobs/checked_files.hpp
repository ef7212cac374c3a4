// SPDX-License-Identifier: MIT
// Provides the memory of which files were checked on this machine, so that checks that read all of a file are
// made once.
#pragma once

#include <string>

namespace gannet::pipeline {

/// Device, inode, size, and times of modification and of the last change of status, as text. Empty when the
/// file cannot be examined or changed within the last two seconds, when a later change might not show in its
/// times: such a file cannot be recognised.
std::string file_identity(const std::string& path);

/// The file `checked` in $XDG_CACHE_HOME/gannet or ~/.cache/gannet: one line per check that passed, the
/// oldest dropped beyond 256. Where it cannot be read or written nothing is remembered, which is no error.
/// Two processes that write at once may lose a line, which costs a check.
class CheckedFiles {
  public:
    CheckedFiles();
    /// Whether `check` (one line, not empty) was remembered.
    bool contains(const std::string& check) const;
    void remember(const std::string& check) noexcept;

  private:
    std::string folder_;  ///< empty: nothing is remembered
};

}  // namespace gannet::pipeline
