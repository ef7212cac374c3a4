// SPDX-License-Identifier: MIT
// Provides writers of alignment records: BAM from blocks compressed elsewhere with its BAI/CSI, and
// SAM/BAM/CRAM streams.
#pragma once

#include "data/record.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gannet::data::bam {

/// Records packed and compressed outside the writing thread: complete BGZF blocks, and for the index where
/// each record ends. No record crosses from one PackedRecords into the next, so that they can be made in
/// parallel and written in order.
struct PackedRecords {
    struct IndexEntry {
        int32_t contig;
        int32_t begin;
        int32_t end;
        uint32_t block;  ///< index within this PackedRecords of the block where the record ends
        uint32_t
            block_offset;  ///< uncompressed, one past the record's last byte; a block's end is (block + 1, 0)
        bool mapped;
    };
    std::vector<uint8_t> blocks;
    std::vector<uint32_t>
        block_begin;  ///< file offset of each block relative to the first; blocks + 1 entries
    std::vector<IndexEntry> index;
    uint64_t records = 0;
};

class BlockPacker;  // data/bam/packer.hpp

/// Writes a coordinate-sorted BAM and its index (BAI, or CSI where a contig passes 2^29) together, as
/// PartialFiles that close() renames; the destructor of an unclosed writer removes them. What is written in
/// place (standard output, a pipe, a device) has no index. Throws
/// Error(output_failed) or Error(disk_space).
class IndexedBamWriter {
  public:
    /// `build_index` false: records may come in any order.
    IndexedBamWriter(const std::string& path, const std::string& header_text, int level,
                     bool build_index = true);
    ~IndexedBamWriter();
    /// The two halves of write(). place() comes first, one at a time and in order: it gives the records to
    /// the index and returns where their blocks belong. write_at() then writes them, from any thread and in
    /// any order; what is written in place (a pipe) is written by place() instead.
    uint64_t place(const PackedRecords& packed);
    void write_at(const PackedRecords& packed, uint64_t offset) const;
    void write(const PackedRecords& packed) { write_at(packed, place(packed)); }
    /// After all of write_at().
    void close();
    const std::string& index_path() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Writes records one by one through htslib: SAM, BAM (unsorted use) or CRAM 3.0 (needs the reference FASTA).
/// As above: PartialFiles, renamed by close().
class RecordWriter {
  public:
    enum class Format { sam, bam, cram };
    RecordWriter(const std::string& path, Format format, const std::string& header_text,
                 const std::string& reference_path, int threads, bool build_index);
    ~RecordWriter();
    void write(RecordView record);
    void close();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gannet::data::bam
