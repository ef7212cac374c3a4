// SPDX-License-Identifier: MIT
// Provides the wiring of the emit and call graphs.
#include "pipeline/sorted_graph.hpp"

#include "data/mapped_files.hpp"
#include "pipeline/graph/sleeping_graph.hpp"
#include "pipeline/graph/slot_graph.hpp"
#include "pipeline/log.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/resources.hpp"
#include "pipeline/stages/call_stage.hpp"
#include "pipeline/stages/emit_stage.hpp"
#include "pipeline/stages/stream_sizes.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace gannet::pipeline {
namespace {

using stages::CallItem;
using stages::CallSlot;

/// A batch of windows with more reads than this does not leave its buffers to the next one.
constexpr size_t k_max_reused_reads = 30'000;
/// A window without reads counts as so many, so that a gap of the reads does not become one batch.
constexpr size_t k_min_window_records = 64;

struct EmitItem {
    stages::ChunkTask task;
    bool last = false;
};

struct EmitSlot {
    stages::ChunkTask task;
    bool last = false;
    std::optional<stages::PackBuffers> pack;
    std::unique_ptr<kernels::Stream> stream;  // null: the host compresses
    uint64_t offset = 0;                      // of the packed records in the file
    variants::CutChunk cut;
    qc::ChunkDepths depths;  // for quality control
};

using EmitGraph = graph::SlotGraph<EmitItem, EmitSlot>;
using CallGraph = graph::SlotGraph<CallItem, CallSlot>;

class SortedRun {
  public:
    SortedRun(stages::ChunkSource& source, const SortedGraphPlan& plan, Tracer& tracer)
        : source_(source),
          plan_(plan),
          tracer_(tracer),
          progress_(plan.caller ? "call" : "write", "records", &tracer) {}
    SortedGraphResult run();

  private:
    void make_call_graph();
    void make_emit_graph();
    graph::Step<EmitSlot> compress_step(bool by_op) const;
    bool next(EmitItem& item);
    void write_records(const variants::RecordChunk& chunk);
    void feed(EmitSlot& slot, const EmitGraph::Lease& lease);
    void add_window(variants::WindowReads&& window);
    void flush_windows();
    void accept(CallSlot& slot);

    stages::ChunkSource& source_;
    const SortedGraphPlan& plan_;
    Tracer& tracer_;
    Progress progress_;
    SortedGraphResult result_;
    bool ended_ = false;
    uint64_t windows_fed_ = 0;
    uint64_t chunks_written_ = 0;

    graph::SleepingGraph flow_;
    graph::RunState state_;
    stages::CallContext context_;
    std::unique_ptr<EmitGraph> emit_;  // before all that may hold a lease of its slots
    std::unique_ptr<CallGraph> call_;
    std::unique_ptr<variants::WindowFeeder> feeder_;
    // The windows of the batch to come, and the lease of the chunk that the feeder is being given.
    std::vector<variants::WindowReads> windows_;
    uint64_t windows_records_ = 0;
    EmitGraph::Lease lease_;
};

bool SortedRun::next(EmitItem& item) {
    if (ended_) return false;
    item.last = ended_ = !source_.next(item.task);
    return true;
}

graph::Step<EmitSlot> SortedRun::compress_step(bool by_op) const {
    if (!by_op) {
        return {"emit.compress", [](EmitSlot& slot) {
                    if (!slot.last) stages::pack_stage(*slot.task.chunk, *slot.pack);
                }};
    }
    graph::Step<EmitSlot> step{"emit.compress",
                               [this](EmitSlot& slot) {
                                   return !slot.last && stages::deflate_stage(*slot.task.chunk, *slot.pack,
                                                                              *plan_.ops, *slot.stream);
                               },
                               [](EmitSlot& slot) -> kernels::Stream& { return *slot.stream; }};
    step.repeats = true;
    return step;
}

void SortedRun::make_emit_graph() {
    std::vector<std::unique_ptr<kernels::Stream>> streams;
    if (plan_.bam != nullptr) streams = stages::make_deflate_streams(plan_.ops, plan_.level, plan_.slots);
    EmitGraph::Spec spec;
    spec.name = "emit";
    spec.source_name = "emit.next";
    spec.next = [this](EmitItem& item) { return next(item); };
    spec.take = [](EmitItem& item, EmitSlot& slot) {
        slot.task = std::exchange(item.task, {});
        slot.last = item.last;
    };
    spec.steps.push_back({plan_.bam || plan_.records ? "emit.load" : "call.read", [this](EmitSlot& slot) {
                              if (slot.last) return;
                              source_.load(slot.task);
                              const variants::RecordChunk& chunk = *slot.task.chunk;
                              if (plan_.coverage != nullptr) plan_.coverage->add(chunk.bytes, chunk.entries);
                          }});
    if (plan_.qc != nullptr) {
        spec.steps.push_back({"emit.count", [this](EmitSlot& slot) {
                                  if (slot.last) return;
                                  const variants::RecordChunk& chunk = *slot.task.chunk;
                                  plan_.qc->count(chunk.bytes, chunk.entries, slot.depths);
                              }});
    }
    if (plan_.bam != nullptr) {
        spec.steps.push_back(compress_step(!streams.empty()));
        if (!streams.empty()) spec.synchronous = streams.front()->is_synchronous();
    }
    if (plan_.caller != nullptr) {
        spec.steps.push_back({"call.cut_windows", [this](EmitSlot& slot) {
                                  if (!slot.last) slot.cut = feeder_->cut(slot.task.chunk);
                              }});
    }
    // The index is made and the windows are fed side by side.
    if (plan_.bam != nullptr) {
        spec.steps.push_back({"emit.index", [this](EmitSlot& slot) {
                                  if (!slot.last) slot.offset = plan_.bam->place(slot.pack->packed);
                              }});
        spec.steps.back().ordered = true;
        spec.steps.push_back({"emit.write", [this](EmitSlot& slot) {
                                  if (!slot.last) plan_.bam->write_at(slot.pack->packed, slot.offset);
                              }});
    }
    if (plan_.records != nullptr) {
        spec.steps.push_back({"emit.write", [this](EmitSlot& slot) {
                                  if (!slot.last) write_records(*slot.task.chunk);
                              }});
        spec.steps.back().ordered = true;
    }
    spec.ordered = true;
    spec.sink = [this](EmitSlot& slot, const EmitGraph::Lease& lease) { feed(slot, lease); };
    std::vector<std::unique_ptr<EmitSlot>> slots(plan_.slots);
    for (auto& slot : slots) {
        slot = std::make_unique<EmitSlot>();
        if (plan_.bam != nullptr) slot->pack.emplace(plan_.level);
        if (!streams.empty()) {
            slot->stream = std::move(streams.back());
            streams.pop_back();
        }
    }
    emit_ = std::make_unique<EmitGraph>(flow_, state_, tracer_, std::move(spec), std::move(slots));
}

void SortedRun::make_call_graph() {
    context_ = {plan_.caller, plan_.ops, plan_.scorer, plan_.known_ids};
    CallGraph::Spec spec;
    spec.name = "call";
    spec.take = [](CallItem& item, CallSlot& slot) { stages::take_stage(item, slot); };
    spec.steps = {
        {"call.find_regions", [this](CallSlot& slot) { stages::find_regions_stage(slot, context_); }},
        {"call.pair_hmm", [this](CallSlot& slot) { return stages::pair_hmm_stage(slot, context_); },
         [](CallSlot& slot) -> kernels::Stream& { return *slot.stream; }},
        {"call.genotype", [this](CallSlot& slot) { stages::genotype_stage(slot, context_); }}};
    if (!plan_.accept_examples) {
        if (plan_.scorer != nullptr) {
            spec.steps.push_back(
                {"call.pileup_network",
                 [this](CallSlot& slot) { return stages::pileup_network_stage(slot, context_); },
                 [](CallSlot& slot) -> kernels::Stream& { return *slot.stream; }});
        }
        spec.steps.push_back({"call.finish_records",
                              [this](CallSlot& slot) { stages::finish_records_stage(slot, context_); }});
    }
    if (plan_.accept_gvcf) {
        spec.steps.push_back({"call.gvcf", [this](CallSlot& slot) { stages::gvcf_stage(slot, context_); }});
    }
    spec.ordered = true;
    spec.sink = [this](CallSlot& slot, const CallGraph::Lease&) { accept(slot); };
    std::vector<std::unique_ptr<CallSlot>> slots;
    for (auto& stream :
         plan_.ops->make_streams(plan_.call_slots, stages::call_stream_size(plan_.batch_records))) {
        auto& slot = slots.emplace_back(std::make_unique<CallSlot>());
        slot->stream = std::move(stream);
        if (plan_.accept_gvcf)
            slot->gvcf = std::make_unique<data::vcf::LinePacker>(*plan_.reference, plan_.gvcf_format,
                                                                 plan_.gvcf_dialect);
    }
    spec.synchronous = slots.front()->stream->is_synchronous();
    call_ = std::make_unique<CallGraph>(flow_, state_, tracer_, std::move(spec), std::move(slots));
    feeder_ = std::make_unique<variants::WindowFeeder>(
        *plan_.reference, plan_.regions,
        [this](variants::WindowReads&& window) { add_window(std::move(window)); },
        plan_.accept_gvcf != nullptr);
}

void SortedRun::write_records(const variants::RecordChunk& chunk) {
    for (const data::RecordEntry& entry : chunk.entries) {
        plan_.records->write(data::RecordView({chunk.bytes.data() + entry.offset, entry.size_bytes}));
    }
}

void SortedRun::feed(EmitSlot& slot, const EmitGraph::Lease& lease) {
    lease_ = lease;
    if (slot.last) {
        // Chunks come in order, so all of them have been written.
        uint64_t expected = 0;
        if (source_.expected_records(expected))
            graph::reconcile("records of emit", expected, result_.records);
        // The last windows are called while the files of the alignments are finished.
        if (feeder_) feeder_->finish();
        if (call_) flush_windows();
        if (plan_.qc != nullptr) plan_.qc->finish();
        if (plan_.written) plan_.written();
    } else {
        const size_t entries = slot.task.chunk->entries.size();
        result_.records += plan_.bam != nullptr ? slot.pack->packed.records : entries;
        if (plan_.qc != nullptr)
            plan_.qc->append(slot.task.chunk->bytes, slot.task.chunk->entries, slot.depths);
        progress_.add(entries);
        progress_.set_position(++chunks_written_, source_.chunks());
        if (feeder_) feeder_->push(std::exchange(slot.cut, {}));
    }
    slot.task.chunk.reset();
    // A batch never waits for the next chunk: its slot could be the one that the windows at hand hold.
    if (call_) flush_windows();
    lease_.reset();
}

void SortedRun::add_window(variants::WindowReads&& window) {
    windows_records_ += std::max(window.records.size(), k_min_window_records);
    windows_.push_back(std::move(window));
    if (windows_records_ >= plan_.batch_records) flush_windows();
}

void SortedRun::flush_windows() {
    if (windows_.empty()) return;
    windows_fed_ += windows_.size();
    call_->put([this](CallItem& item) {
        item.windows = std::exchange(windows_, {});
        item.lease = lease_;
    });
    windows_records_ = 0;
}

void SortedRun::accept(CallSlot& slot) {
    if (plan_.accept_examples)
        plan_.accept_examples(slot.work);
    else
        plan_.accept(slot.variants);
    if (plan_.accept_gvcf) plan_.accept_gvcf(slot.gvcf_lines);
    result_.windows += slot.window_count;
    for (const data::Variant& variant : slot.variants) result_.variants.add(variant);
    slot.lease.reset();
    // Buffers that grew for a pile-up are not kept in every slot that met one.
    if (slot.record_count > k_max_reused_reads) {
        slot.work = variants::CallWork();
        release_free_memory();
    }
}

SortedGraphResult SortedRun::run() {
    if (plan_.caller != nullptr) make_call_graph();
    make_emit_graph();
    emit_->activate();
    flow_.wait();
    state_.rethrow();
    emit_->check();
    if (call_) {
        call_->check();
        graph::reconcile("windows of call", windows_fed_, result_.windows);
        if (feeder_->reads_left_out() > 0) {
            log_warning("very deep coverage: about " + std::to_string(feeder_->reads_left_out()) +
                        " reads beyond " + std::to_string(variants::k_max_reads_per_depth_bin) + " per " +
                        std::to_string(variants::k_depth_bin_bp) +
                        " bp were left out of calling (the alignments have them all)");
        }
    }
    return result_;
}

}  // namespace

SortedGraphResult run_sorted_graph(stages::ChunkSource& source, const SortedGraphPlan& plan, Tracer& tracer) {
    SortedRun run(source, plan, tracer);
    SortedGraphResult result = run.run();
    source.check_unchanged();
    data::require_unchanged_mappings();
    return result;
}

}  // namespace gannet::pipeline
