// SPDX-License-Identifier: MIT
// Provides a std::cout that reports what it could not write.
#pragma once

#include <streambuf>
#include <string>

namespace gannet::pipeline {

/// While it lives, std::cout writes to standard output through it, and a write that fails (a full disk, a
/// closed pipe) throws Error(disk_space) or Error(output_failed) out of the << that caused it, or out of
/// finish().
class StandardOutput : private std::streambuf {
  public:
    StandardOutput();
    ~StandardOutput() override;
    StandardOutput(const StandardOutput&) = delete;
    StandardOutput& operator=(const StandardOutput&) = delete;
    /// Writes what is buffered. Call at the end: the destructor does not.
    void finish();

  private:
    int_type overflow(int_type letter) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

    std::string buffer_;
    std::streambuf* before_;
};

}  // namespace gannet::pipeline
