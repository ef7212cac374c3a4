// SPDX-License-Identifier: MIT
// Provides the graph that writes records as BAM in the order in which they come: blocks are compressed in
// parallel, as for sorted output, and written in order.
#pragma once

#include "data/bam/writer.hpp"
#include "data/record.hpp"
#include "pipeline/graph/slot_graph.hpp"
#include "pipeline/stages/emit_stage.hpp"
#include "pipeline/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gannet::pipeline {

/// chunk of records -> compress -> sequencer -> write. Chunks are cut by the size of the records alone, so
/// that the bytes do not depend on batches or threads. Shares the flow and the state of the graph whose
/// records it writes, and is destroyed before that one, whose leases it holds.
class StreamGraph {
  public:
    using Lease = std::shared_ptr<void>;

    /// `slots`: chunks in flight.
    StreamGraph(tbb::flow::graph& flow, graph::RunState& state, data::bam::IndexedBamWriter& writer,
                int level, size_t slots, Tracer& tracer);

    /// Appends the records of a batch; batches come one at a time, in order. `lease` is held until the chunks
    /// that this batch completed are written, so that a slow output holds the input back.
    void add(const data::RecordBatch& batch, const Lease& lease);
    /// After the last batch: sends what is left. The flow must then be waited for once more.
    void flush() { send(nullptr); }
    /// After the flow has drained without an error; throws Error(internal) when chunks or records were lost.
    void check() const;

  private:
    struct Item {
        variants::RecordChunk chunk;
        Lease lease;
    };
    struct Slot {
        explicit Slot(int level) : pack(level) {}
        variants::RecordChunk chunk;
        Lease lease;
        stages::PackBuffers pack;
    };
    using Graph = graph::SlotGraph<Item, Slot>;

    void send(const Lease& lease);

    variants::RecordChunk pending_;  ///< the chunk to come
    uint64_t added_ = 0;
    uint64_t written_ = 0;
    std::unique_ptr<Graph> graph_;
};

}  // namespace gannet::pipeline
