// SPDX-License-Identifier: MIT
// Provides reading of a coordinate-sorted, indexed SAM/BAM/CRAM by region, or of one in any order from its
// beginning to its end, as batches of BAM record bytes.
#pragma once

#include "data/bam/header_contigs.hpp"
#include "data/read_group.hpp"
#include "data/record.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gannet::data::bam {

class OffsetIndex;

/// What a region of a file gives: every record that overlaps it, or at least those that begin in it.
enum class RegionRecords { overlapping, beginning };

/// How the records of a file must be sorted. A file in any order is read without its index.
enum class RecordOrder { by_coordinate, any };

/// Reads records that overlap a region, in file order. One object per thread. Refuses (malformed_input):
/// truncated files, records whose fields overrun, a file that is not coordinate-sorted, an index that is
/// damaged or of another file; Error(reference_mismatch) from `check_reference`. References of CRAM come from
/// `reference_path`, never from the network.
class Reader {
  public:
    /// `threads`, this one included, inflate blocks and decode CRAM; the text of SAM is read by this one.
    static std::unique_ptr<Reader> open(const std::string& path, const std::string& reference_path = "",
                                        int threads = 1, RecordOrder order = RecordOrder::by_coordinate);
    virtual ~Reader() = default;
    /// Another reader of the same file for another thread, after the same check_reference; the index is
    /// loaded and checked once. Thread-safe. Not for standard input.
    virtual std::unique_ptr<Reader> another() const = 0;
    virtual const std::vector<HeaderContig>& contigs() const = 0;
    virtual const std::vector<ReadGroup>& read_groups() const = 0;
    virtual const std::string& header_text() const = 0;
    virtual bool has_index() const = 0;
    /// Of an indexed BAM; null for all else. Valid as long as the reader is.
    virtual const OffsetIndex* offsets() const { return nullptr; }
    /// Every contig of the file with the same length (and MD5, where given) in the reference; contig numbers
    /// of records are then mapped to the reference's.
    virtual void check_reference(const Reference& reference) = 0;
    /// Restricts what follows to the records of a region (index needed). Reading begins where the index says
    /// only if the record found there begins before the region, or is the contig's first: in a sorted file
    /// nothing that begins in the region can come before it, whatever the index holds. With
    /// RegionRecords::beginning, records that reach into the region from before it may be missing.
    virtual void seek(const Region& region, RegionRecords records = RegionRecords::overlapping) = 0;
    virtual void rewind() = 0;  ///< lifts the restriction: the complete file from its beginning
    /// Throws Error(malformed_input) where the file, its index or the reference of a CRAM was changed since
    /// they were opened by the first reader: what was read may be of two files.
    virtual void check_unchanged() const = 0;
    /// Appends records to `batch` until it holds `max_bytes` or the region ends; false when nothing was left.
    virtual bool read(RecordBatch& batch, size_t max_bytes) = 0;
};

}  // namespace gannet::data::bam
