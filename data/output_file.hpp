// SPDX-License-Identifier: MIT
// Provides outputs that appear complete or not at all: written under a unique partial name in the same
// folder, renamed at the end.
#pragma once

#include "data/output_path.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::data {

/// Throws Error(disk_space) for ENOSPC, EDQUOT and EFBIG, Error(output_failed) for all else: "PATH: cannot be
/// written: cause".
[[noreturn]] void throw_output_failed(const std::string& path, int error_number);

/// Makes what was renamed or removed last in a folder through a loss of power, before anything that follows.
/// Returns 0 or the error's number. Some file systems cannot do this for folders, and a folder may be one
/// that may be written to, not read: no error.
int sync_folder(const std::string& folder);

/// A file under the name "PATH.partial.XXXXXXXXXXXX" (12 random hexadecimal digits), created exclusively: it
/// is never a file that was there before, nor the target of a symbolic link. Its mode follows the umask.
/// Until commit() the destructor, or a signal, removes it. Throws as throw_output_failed does.
class PartialFile {
  public:
    /// Of the name of a file while it is written, more than of the final one.
    static constexpr size_t k_more_letters = 21;
    /// Error(output_failed) where `path` is a device, a pipe or a descriptor.
    explicit PartialFile(const std::string& path);
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    const std::string& path() const { return path_; }  ///< as given
    int descriptor() const { return descriptor_; }     ///< open for reading and writing
    /// A name under which a library can open the file: it reaches this file even if the partial name has been
    /// removed or replaced in the meantime.
    std::string name_to_open() const;
    /// Writes the file to the disk (fsync), renames it, and writes the folder's entry to the disk.
    void commit() { commit(nullptr); }
    /// The same for a file and its index. An older index is removed before the file is renamed and the new
    /// one is renamed after it, so that the file never has the index of another file.
    void commit(PartialFile* index);

  private:
    void close_synced();

    std::string path_;
    std::string final_;    ///< through symbolic links
    std::string partial_;  ///< empty once renamed
    int descriptor_ = -1;
};

/// Removes an earlier file that the next commits would make untrue (a report, a summary), so that no report
/// describes other results. Does nothing where there is none, and for what is written in place.
void remove_old_file(const std::string& path);
/// The same for a file and its indexes, which go first. Links in the place of an index are not followed.
void remove_old_indexed_file(const std::string& path);

/// True for names of the form that PartialFile gives to the partial files of `final_name` (no folders in
/// either).
bool is_partial_name_of(std::string_view name, std::string_view final_name);

/// A file of bytes, or standard output for "-"; every write and the close are checked. Devices, pipes and
/// descriptors are written in place.
class OutputFile {
  public:
    explicit OutputFile(const std::string& path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::span<const uint8_t> bytes);
    void write(std::string_view text) { write({reinterpret_cast<const uint8_t*>(text.data()), text.size()}); }
    /// From any thread, anywhere in the file; not for what is written in place, and not together with
    /// write().
    void write_at(std::span<const uint8_t> bytes, uint64_t offset) const;
    /// Closes the file and, unless it is written in place, renames it; with its index, where it has one.
    void commit(PartialFile* index = nullptr);
    const std::string& path() const { return path_; }
    bool in_place() const { return !partial_; }
    /// To be read or written by a library; the OutputFile keeps it.
    int descriptor() const { return partial_ ? partial_->descriptor() : descriptor_; }
    /// As PartialFile's; not for what is written in place.
    std::string name_to_open() const { return partial_->name_to_open(); }

  private:
    std::string path_;
    std::optional<PartialFile> partial_;
    int descriptor_ = -1;  ///< of what is written in place
};

}  // namespace gannet::data
