// SPDX-License-Identifier: MIT
// Provides the writing of simulated reads: chunks of pairs made and compressed on several threads, written in
// order.
#pragma once

#include "data/bgzf/block.hpp"
#include "data/simulate/reads.hpp"

#include <string>
#include <vector>

namespace gannet::data::simulate {

inline constexpr int k_compression_level = 1;

/// Appends `text` as BGZF blocks, the last one short.
void append_blocks(bgzf::BlockCompressor& compressor, std::span<const uint8_t> text,
                   std::vector<uint8_t>& out);

/// Writes pairs [0, pairs) to reads_1.fq.gz and reads_2.fq.gz in `folder`. The bytes do not depend on
/// `threads`.
ReadCounts write_reads(const ReadMaker& maker, uint64_t pairs, const std::string& folder, int threads);

}  // namespace gannet::data::simulate
