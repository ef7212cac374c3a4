// SPDX-License-Identifier: MIT
// Provides the packing of a chunk of sorted records into BGZF blocks, cut the same way whatever the threads.
#pragma once

#include "data/bam/packer.hpp"
#include "data/bam/writer.hpp"
#include "variants/windows.hpp"

#include <vector>

namespace gannet::pipeline::stages {

struct PackBuffers {
    explicit PackBuffers(int level) : packer(level) {}
    data::bam::BlockPacker packer;
    std::vector<data::RecordView> views;
    data::bam::PackedRecords packed;
};

void pack_stage(const variants::RecordChunk& chunk, PackBuffers& buffers);

}  // namespace gannet::pipeline::stages
