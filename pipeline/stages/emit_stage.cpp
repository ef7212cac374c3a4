// SPDX-License-Identifier: MIT
// Provides the packing of records for the BAM.
#include "pipeline/stages/emit_stage.hpp"

#include "data/bgzf/block.hpp"
#include "pipeline/graph/run_state.hpp"
#include "pipeline/log.hpp"
#include "pipeline/resources.hpp"
#include "pipeline/stages/stream_sizes.hpp"

#include <algorithm>
#include <string>

namespace gannet::pipeline::stages {

namespace {

static_assert(kernels::k_deflate_max_block == data::bgzf::k_max_payload_bytes);

void list_records(const variants::RecordChunk& chunk, std::vector<data::RecordView>& views) {
    views.clear();
    for (const data::RecordEntry& entry : chunk.entries)
        views.emplace_back(std::span<const uint8_t>{chunk.bytes.data() + entry.offset, entry.size_bytes});
}

void append_deflated(PackBuffers& buffers) {
    graph::reconcile("blocks of a chunk", buffers.batch.size(), buffers.deflated.size());
    for (size_t k = 0; k < buffers.batch.size(); ++k) {
        data::bgzf::append_block(buffers.batch.block(k), buffers.deflated.stream(k), buffers.packed.blocks);
        buffers.packed.block_begin.push_back(static_cast<uint32_t>(buffers.packed.blocks.size()));
    }
}

}  // namespace

void pack_stage(const variants::RecordChunk& chunk, PackBuffers& buffers) {
    list_records(chunk, buffers.views);
    buffers.packer.pack(buffers.views, buffers.packed);
}

bool deflate_stage(const variants::RecordChunk& chunk, PackBuffers& buffers, const kernels::OpTable& ops,
                   kernels::Stream& stream) {
    if (buffers.is_cutting) {
        append_deflated(buffers);
    } else {
        list_records(chunk, buffers.views);
        buffers.cutter.begin(buffers.views, buffers.packed);
    }
    buffers.batch.clear();
    while (buffers.batch.size() < k_pass_blocks && buffers.cutter.next(buffers.batch.bytes))
        buffers.batch.end_block();
    buffers.is_cutting = buffers.batch.size() > 0;
    if (!buffers.is_cutting) return false;
    buffers.deflated.clear();  // those of the last pass must not pass for this one's
    ops.deflate(stream, buffers.batch, buffers.deflated);
    return true;
}

std::vector<std::unique_ptr<kernels::Stream>> make_deflate_streams(const kernels::OpTable* ops, int level,
                                                                   size_t slots) {
    constexpr int k_default_level = 1;
    constexpr const char* k_consequence = "the BAM is compressed on the CPU";
    if (level != k_default_level || ops == nullptr || ops->deflate == nullptr) return {};
    try {
        auto streams = ops->make_streams(slots, emit_stream_size());
        const uint64_t wanted = emit_stream_size().device_bytes;
        const bool suffices = std::all_of(streams.begin(), streams.end(), [wanted](const auto& stream) {
            return stream->is_synchronous() || stream->memory().device_bytes >= wanted;
        });
        if (suffices) return streams;
        log_info("the devices have less than " + size_text(wanted) + " of memory for each of " +
                 std::to_string(slots) + " batches of blocks: " + k_consequence);
    } catch (const kernels::DeviceOutOfMemory& error) {
        log_info(std::string(error.what()) + ": " + k_consequence);
    }
    return {};
}

}  // namespace gannet::pipeline::stages
