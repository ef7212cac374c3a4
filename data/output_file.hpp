// SPDX-License-Identifier: MIT
// Provides outputs that appear whole or not at all: written under a partial name in the same folder, renamed
// at the end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gannet::data {

/// Throws Error(disk_space) for ENOSPC and EDQUOT, Error(output_failed) else: "PATH: cannot be written:
/// cause".
[[noreturn]] void throw_output_failed(const std::string& path, int error_number);

/// The two names of an output. Until `commit`, the destructor removes what stands under the partial one.
class PartialPath {
  public:
    explicit PartialPath(std::string path) : path_(std::move(path)), partial_(path_ + ".partial") {}
    ~PartialPath();
    PartialPath(const PartialPath&) = delete;
    PartialPath& operator=(const PartialPath&) = delete;

    const std::string& path() const { return path_; }
    const std::string& partial() const { return partial_; }
    void commit();  ///< renames; throws as above

  private:
    std::string path_;
    std::string partial_;
    bool committed_ = false;
};

/// A file of bytes under a partial name, or standard output for "-"; every write and the close are checked. A
/// path that is not a regular file (/dev/null, a pipe) is written in place.
class OutputFile {
  public:
    explicit OutputFile(const std::string& path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::span<const uint8_t> bytes);
    void write(std::string_view text) { write({reinterpret_cast<const uint8_t*>(text.data()), text.size()}); }
    void finish();  ///< flushes to the device's queue and closes; the name stays partial
    void commit();  ///< finish, and rename
    const std::string& path() const { return name_.path(); }

  private:
    PartialPath name_;
    bool in_place_;
    int file_ = -1;
};

/// True for "-", devices and pipes: what cannot be renamed into place.
bool is_written_in_place(const std::string& path);

}  // namespace gannet::data
