// SPDX-License-Identifier: MIT
// Provides the index of a CRAM file (CRAI), checked against the containers of the file before it is used.
#pragma once

#include "data/bam/cram_containers.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gannet::data::bam {

/// The lines of a .crai: six integers each. gzip's checksum covers its bytes, but not that lines were cut off
/// or that it is of another file, so it is compared with the headers of all containers: each slice with
/// positions must have a line, each line must be of a slice, and a container's lines must cover the positions
/// that its header states. Containers of several contigs must be decoded to see more (require_listed).
class CramIndex {
  public:
    /// Reads and compares. Throws Error(malformed_input). One read of some hundred bytes per container.
    CramIndex(const std::string& path, const std::string& cram_path, size_t contigs);

    const std::string& path() const { return path_; }
    const std::vector<CramContainer>& mixed_containers() const { return mixed_; }
    int64_t last_container() const { return lines_.empty() ? 0 : lines_.back().container; }
    /// Throws Error(malformed_input) where no line of the container covers a record; `position` is 0-based.
    void require_listed(int64_t container, int64_t contig, int64_t position) const;

  private:
    struct Line {
        int64_t contig, begin, span, container, slice, slice_bytes;
    };
    void read(const std::string& cram_path, size_t contigs);
    void compare(const std::string& cram_path);
    size_t compare_container(const CramContainer& container, size_t line) const;
    [[noreturn]] void refuse(const std::string& cause) const;

    std::string path_;
    std::vector<Line> lines_;  ///< by container
    std::vector<CramContainer> mixed_;
};

}  // namespace gannet::data::bam
