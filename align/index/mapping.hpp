// SPDX-License-Identifier: MIT
// Provides the mapped bytes of an index file, in huge pages where they can be had.
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
    /// Looks at [begin, end), both multiples of k_huge_page_bytes, and where most of it is in small pages
    /// puts a copy in huge ones in its place. Others may read it meanwhile: the copy comes in one step.
    enum class Pages { huge, copied, small };
    Pages make_huge(uint64_t begin, uint64_t end) const;
    /// Takes the file's own pages out of the page cache, where nobody has them mapped: who reads the file
    /// next can have huge ones, and until then their memory is free.
    void drop(uint64_t begin, uint64_t end) const;
    /// Whether most of the file's own pages are huge. Reads what is not in memory.
    bool is_huge(uint64_t begin, uint64_t end) const;
    /// How much of the mapping is in huge pages, in bytes.
    uint64_t huge_bytes() const;
    /// Reads from the file, not through the mapping: a fault of the disk is an error and not a signal.
    void read(const std::string& path, uint64_t offset, std::span<uint8_t> out) const;

    static constexpr uint64_t k_huge_page_bytes = uint64_t{2} << 20;

  private:
    int descriptor_ = -1;
    const uint8_t* bytes_ = nullptr;
    uint64_t size_ = 0;
    std::optional<data::MappedFile> listed_;
};

}  // namespace gannet::align
