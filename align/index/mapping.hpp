// SPDX-License-Identifier: MIT
// Provides the mapped bytes of an index file, in huge pages where the file system has them.
#pragma once

#include "data/error.hpp"
#include "data/mapped_files.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gannet::align {

/// Throws Error(kind) about the file.
[[noreturn]] void fail_index(data::ErrorKind kind, const std::string& path, const std::string& cause);

/// The command that makes the index at `path` again, for the end of a message.
std::string index_rebuild_advice(const std::string& path);

/// An index file, mapped to be read. Look-ups are all over it, so that with pages of 4 kB the walk through
/// the page tables costs more than the access itself: huge pages are asked for.
class IndexMapping {
  public:
    /// Error(malformed_input) where it cannot be opened, is empty or not a regular file; Error(host_memory)
    /// where the address space is too small.
    explicit IndexMapping(const std::string& path);
    ~IndexMapping();
    IndexMapping(const IndexMapping&) = delete;
    IndexMapping& operator=(const IndexMapping&) = delete;

    const uint8_t* bytes() const { return bytes_; }
    uint64_t size() const { return size_; }
    /// Brings [begin, end) into memory in the pages that the mapping asks for: who reads the file first, by
    /// whatever means, determines their size for as long as they stay. Faults of the disk show when it is
    /// read.
    void populate(uint64_t begin, uint64_t end) const;
    /// Takes a file that is in memory in small pages, as after it was written or copied, out of the page
    /// cache, so that it is read again in huge ones. A part of k_probe_bytes shows first whether its pages
    /// are small, and whether they become larger; where they do not (a file system without huge pages, a file
    /// that is not on the disk yet or that others have mapped), the rest stays. Call it before the index is
    /// read. Contents are not touched.
    void renew_small_pages() const;
    /// How much of what was read through the mapping is in huge pages, in bytes.
    uint64_t huge_bytes() const;
    /// Reads from the file, not through the mapping: a fault of the disk is an error and not a signal.
    void read(const std::string& path, uint64_t offset, std::span<uint8_t> out) const;

    static constexpr uint64_t k_probe_bytes = uint64_t{16} << 20;

  private:
    void drop(uint64_t begin, uint64_t end) const;

    int descriptor_ = -1;
    const uint8_t* bytes_ = nullptr;
    uint64_t size_ = 0;
    std::optional<data::MappedFile> listed_;
};

}  // namespace gannet::align
