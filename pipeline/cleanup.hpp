// SPDX-License-Identifier: MIT
// Provides tidy ends for runs that a signal stops: partial files are removed, then the process exits with 130
// or 143.
#pragma once

#include <string>

namespace gannet::pipeline {

/// Blocks SIGINT and SIGTERM in the calling thread (and so in all that it starts) and waits for them in a
/// thread of its own. That thread may do what a signal handler may not. SIGPIPE is ignored: a closed pipe is
/// a failed write. Call once, before any thread is started.
void install_signal_cleanup();

/// While it lives, a signal removes what writers leave beside `path`: files whose names begin with
/// "path.partial".
class PartialOutput {
  public:
    explicit PartialOutput(std::string path);
    ~PartialOutput();
    PartialOutput(const PartialOutput&) = delete;
    PartialOutput& operator=(const PartialOutput&) = delete;

  private:
    std::string path_;
};

/// A folder below `parent` that is removed with all it holds, at the end of its life or by a signal. Its name
/// holds the process id.
class TemporaryFolder {
  public:
    explicit TemporaryFolder(const std::string& parent);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace gannet::pipeline
