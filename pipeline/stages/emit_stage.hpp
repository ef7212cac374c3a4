// SPDX-License-Identifier: MIT
// Provides the packing of a chunk of sorted records into BGZF blocks, cut the same way whatever the threads
// and whatever compresses them.
#pragma once

#include "data/bam/packer.hpp"
#include "data/bam/writer.hpp"
#include "kernels/op_table.hpp"
#include "variants/reads/windows.hpp"

#include <memory>
#include <vector>

namespace gannet::pipeline::stages {

struct PackBuffers {
    explicit PackBuffers(int level) : packer(level) {}
    data::bam::BlockPacker packer;
    std::vector<data::RecordView> views;
    data::bam::PackedRecords packed;
    // Of deflate_stage():
    data::bam::BlockCutter cutter;
    bool is_cutting = false;
    kernels::DeflateBatch batch;
    kernels::DeflateResults deflated;
};

void pack_stage(const variants::RecordChunk& chunk, PackBuffers& buffers);

/// Blocks that an op compresses at once: what bounds the memory of a stream, whatever the size of chunks.
inline constexpr size_t k_pass_blocks = 64;

/// The same with the op deflate, k_pass_blocks at a time: finishes the blocks of the pass before, enqueues
/// the op for the next ones, and is called until it returns false, when all blocks are packed. Throws
/// Error(internal) unless every block came back.
bool deflate_stage(const variants::RecordChunk& chunk, PackBuffers& buffers, const kernels::OpTable& ops,
                   kernels::Stream& stream);

/// The streams for deflate_stage(), one for each slot, where blocks of this level are compressed by an op:
/// at level 1, if the backend has it. On devices each stream must have the memory for a pass; the log says
/// where one has not. Empty: pack_stage() is to compress. `ops` may be null. Throws DeviceUnfit.
std::vector<std::unique_ptr<kernels::Stream>> make_deflate_streams(const kernels::OpTable* ops, int level,
                                                                   size_t slots);

}  // namespace gannet::pipeline::stages
