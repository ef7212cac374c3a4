// SPDX-License-Identifier: MIT
// Provides the packing of sorted record bytes into compressed BGZF blocks with the positions that an index
// needs.
#pragma once

#include "data/bam/writer.hpp"
#include "data/bgzf/block.hpp"

#include <span>

namespace gannet::data::bam {

/// One object per thread. A block is cut before a record that would overflow it, as htslib does; a record
/// longer than a block spans blocks.
class BlockPacker {
  public:
    explicit BlockPacker(int level) : compressor_(level, bgzf::BlockBytes::on_this_machine) {}
    /// Replaces `out` by the packed records.
    void pack(std::span<const RecordView> records, PackedRecords& out);

  private:
    bgzf::BlockCompressor compressor_;
    std::vector<uint8_t> payload_;
};

}  // namespace gannet::data::bam
