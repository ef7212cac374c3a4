// SPDX-License-Identifier: MIT
// Provides the wiring of the graph that writes records in the order of the input.
#include "pipeline/stream_graph.hpp"

#include "data/bgzf/block.hpp"

#include <utility>

namespace gannet::pipeline {
namespace {

/// Enough blocks to keep a thread busy for some milliseconds.
constexpr size_t k_chunk_bytes = 16 * data::bgzf::k_max_payload_bytes;

void append(variants::RecordChunk& chunk, std::span<const uint8_t> record, data::RecordEntry entry) {
    entry.offset = chunk.bytes.size();
    chunk.entries.push_back(entry);
    chunk.bytes.insert(chunk.bytes.end(), record.begin(), record.end());
}

}  // namespace

StreamGraph::StreamGraph(tbb::flow::graph& flow, graph::RunState& state, data::bam::IndexedBamWriter& writer,
                         int level, size_t slots, Tracer& tracer) {
    Graph::Spec spec;
    spec.name = "emit";
    spec.take = [](Item& item, Slot& slot) {
        std::swap(slot.chunk, item.chunk);
        slot.lease = std::exchange(item.lease, nullptr);
    };
    spec.steps.push_back({"emit.compress", [](Slot& slot) { stages::pack_stage(slot.chunk, slot.pack); }});
    spec.ordered = true;
    spec.sink = [this, &writer](Slot& slot, const Graph::Lease&) {
        writer.write(slot.pack.packed);
        written_ += slot.pack.packed.records;
        slot.lease.reset();
    };
    std::vector<std::unique_ptr<Slot>> pool(slots);
    for (auto& slot : pool) slot = std::make_unique<Slot>(level);
    graph_ = std::make_unique<Graph>(flow, state, tracer, std::move(spec), std::move(pool));
}

void StreamGraph::send(const Lease& lease) {
    if (pending_.entries.empty()) return;
    graph_->put([this, &lease](Item& item) {
        std::swap(item.chunk, pending_);
        item.lease = lease;
    });
    pending_.bytes.clear();
    pending_.entries.clear();
}

void StreamGraph::add(const data::RecordBatch& batch, const Lease& lease) {
    for (size_t i = 0; i < batch.entries.size(); ++i) {
        append(pending_, batch.view(i).bytes(), batch.entries[i]);
        ++added_;
        if (pending_.bytes.size() >= k_chunk_bytes) send(lease);
    }
}

void StreamGraph::check() const {
    graph_->check();
    graph::reconcile("records of the stream", added_, written_);
}

}  // namespace gannet::pipeline
