// SPDX-License-Identifier: MIT
// Provides the headers of the containers of a CRAM file, without decoding what is in them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gannet::data::bam {

/// What the header of a container says (CRAM specification 3.0, section 7).
struct CramContainer {
    static constexpr int64_t k_no_contig = -1;  ///< records without a position only
    static constexpr int64_t k_mixed = -2;      ///< records of several contigs

    int64_t offset = 0;  ///< of the container in the file
    int64_t body = 0;    ///< where its header ends
    int64_t end = 0;     ///< where the next one begins
    int64_t contig = 0;
    int64_t begin = 0, span = 0;  ///< 1-based position of the first base, and bases
    int64_t records = 0;
    std::vector<int64_t> slices;  ///< where they begin, from the end of the container's header
};

/// Bytes of the text of a CRAM's header, from the first bytes of the file; 0 where they do not show it.
uint64_t cram_header_bytes(std::span<const uint8_t> head);

/// Walks through the containers of a file: one read of some hundred bytes for each.
class CramContainers {
  public:
    /// Throws Error(malformed_input) where the file cannot be opened. `name`: for messages.
    CramContainers(const std::string& path, const std::string& name);
    ~CramContainers();
    CramContainers(const CramContainers&) = delete;
    CramContainers& operator=(const CramContainers&) = delete;

    /// Whether containers are of a form that is known: CRAM 2 and 3.
    bool known() const { return major_ == 2 || major_ == 3; }
    int64_t file_bytes() const { return file_bytes_; }
    /// The next container with records; nothing at the end of the file. Throws Error(malformed_input) where a
    /// header does not fit the file.
    std::optional<CramContainer> next();
    /// Whether records on a contig are stored as differences from the reference, and the file holds no copy
    /// of it: false where a writer could not read the reference. True for what cannot be told.
    bool needs_reference(const CramContainer& container);

  private:
    std::optional<CramContainer> read_header();
    std::span<const uint8_t> bytes_at(int64_t offset, size_t size);

    std::string name_;
    int file_ = -1;
    int64_t file_bytes_ = 0;
    int64_t offset_ = 0;
    unsigned major_ = 0;
    std::vector<uint8_t> buffer_;
};

}  // namespace gannet::data::bam
