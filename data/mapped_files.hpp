// SPDX-License-Identifier: MIT
// Provides the list of files that are read through memory maps, where a file that is cut becomes a signal
// (SIGBUS).
#pragma once

#include "data/file_state.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace gannet::data {

/// Lists a mapping as long as it lives. A process has few; those beyond k_max_mapped_files are not listed.
class MappedFile {
  public:
    /// `descriptor`: of the mapped file; must live as long.
    MappedFile(const std::string& path, const void* begin, size_t size_bytes, int descriptor);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

  private:
    int slot_ = -1;
};

inline constexpr int k_max_mapped_files = 16;

/// The path of the mapped file that holds the address, or null. For signal handlers.
const char* mapped_file_at(const void* address) noexcept;

/// Throws Error(malformed_input) where one of the mapped files was changed since it was mapped. Before
/// outputs that were made from it get their names.
void require_unchanged_mappings();

}  // namespace gannet::data
