// SPDX-License-Identifier: MIT
// Provides the packing of records for the BAM.
#include "pipeline/stages/emit_stage.hpp"

namespace gannet::pipeline::stages {

void pack_stage(const variants::RecordChunk& chunk, PackBuffers& buffers) {
    buffers.views.clear();
    for (const data::RecordEntry& entry : chunk.entries) {
        buffers.views.emplace_back(
            std::span<const uint8_t>{chunk.bytes.data() + entry.offset, entry.size_bytes});
    }
    buffers.packer.pack(buffers.views, buffers.packed);
}

}  // namespace gannet::pipeline::stages
