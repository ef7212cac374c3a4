// SPDX-License-Identifier: MIT
// Provides reading of a coordinate-sorted, indexed SAM/BAM/CRAM by region, as batches of BAM record bytes.
#pragma once

#include "data/read_group.hpp"
#include "data/record.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gannet::data::bam {

struct HeaderContig {
    std::string name;
    uint64_t length = 0;
    std::string md5;  ///< empty when the header gives none
};

/// Reads records that overlap a region, in file order. One object a thread. Refuses (malformed_input):
/// truncated files, records whose fields overrun, a file that is not coordinate-sorted;
/// Error(reference_mismatch) from `check_reference`.
class Reader {
  public:
    static std::unique_ptr<Reader> open(const std::string& path, const std::string& reference_path = "",
                                        int threads = 1);
    virtual ~Reader() = default;
    virtual const std::vector<HeaderContig>& contigs() const = 0;
    virtual const std::vector<ReadGroup>& read_groups() const = 0;
    virtual const std::string& header_text() const = 0;
    virtual bool has_index() const = 0;
    /// Every contig of the file with the same length (and MD5, where given) in the reference; contig numbers
    /// of records are then mapped to the reference's.
    virtual void check_reference(const Reference& reference) = 0;
    /// Restricts what follows to records overlapping the region (index needed), or lifts it (whole file).
    virtual void seek(const Region& region) = 0;
    virtual void rewind() = 0;
    /// Appends records to `batch` until it holds `max_bytes` or the region ends; false when nothing was left.
    virtual bool read(RecordBatch& batch, size_t max_bytes) = 0;
};

}  // namespace gannet::data::bam
