// SPDX-License-Identifier: MIT
// Provides the packing of sorted record bytes into compressed BGZF blocks with the positions that an index
// needs.
#pragma once

#include "data/bam/writer.hpp"
#include "data/bgzf/block.hpp"

#include <span>

namespace gannet::data::bam {

/// Cuts records into the payloads of blocks, one after another. A block ends before a record that would
/// overflow it, as with htslib; a record longer than a block spans blocks.
class BlockCutter {
  public:
    /// Makes `out` one of these records without blocks. next() fills its index; the blocks, in their order,
    /// are the caller's to add. Both arguments must be there until next() returns false.
    void begin(std::span<const RecordView> records, PackedRecords& out);
    /// Appends the payload of the next block; false: there is none left.
    bool next(std::vector<uint8_t>& payload);

  private:
    void add_part(const RecordView& record, size_t size, std::vector<uint8_t>& payload) const;

    std::span<const RecordView> records_;
    PackedRecords* out_ = nullptr;
    size_t record_ = 0;
    size_t in_record_ = 0;  ///< bytes of it, with its length before it, that earlier blocks have
    uint32_t block_ = 0;
};

/// One object per thread.
class BlockPacker {
  public:
    explicit BlockPacker(int level) : compressor_(level, bgzf::BlockBytes::on_this_machine) {}
    /// Replaces `out` by the packed records.
    void pack(std::span<const RecordView> records, PackedRecords& out);

  private:
    bgzf::BlockCompressor compressor_;
    BlockCutter cutter_;
    std::vector<uint8_t> payload_;
};

}  // namespace gannet::data::bam
