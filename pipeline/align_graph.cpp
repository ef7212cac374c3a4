// SPDX-License-Identifier: MIT
// Provides the wiring of the align graph: reader, rounds of banded_sw, record building.
#include "pipeline/align_graph.hpp"

#include "data/error.hpp"
#include "pipeline/graph/slot_graph.hpp"
#include "pipeline/progress.hpp"

#include <deque>
#include <utility>

namespace gannet::pipeline {
namespace {

using stages::AlignContext;
using stages::AlignItem;
using stages::AlignSlot;
using Graph = graph::SlotGraph<AlignItem, AlignSlot>;
using Step = graph::Step<AlignSlot>;

std::vector<std::unique_ptr<AlignSlot>> make_slots(size_t count, const kernels::OpTable& ops) {
    std::vector<std::unique_ptr<AlignSlot>> slots(count);
    for (auto& slot : slots) {
        slot = std::make_unique<AlignSlot>();
        slot->stream = ops.make_stream();
    }
    return slots;
}

kernels::Stream& stream_of(AlignSlot& slot) { return *slot.stream; }

/// One lane's way through sampling and aligning.
class LaneRun {
  public:
    LaneRun(stages::LaneSource& source, AlignContext context, const AlignGraphOptions& options,
            Tracer& tracer)
        : source_(source), context_(std::move(context)), options_(options), tracer_(tracer) {}

    const align::InsertSizeModel& model() const { return context_.model; }
    void align(const std::function<void(const data::RecordBatch&)>& accept, stages::AlignCounts& counts,
               Progress& progress);

  private:
    /// Reads the sample; afterwards its batches wait in `parked_`.
    align::InsertSizeModel sample();
    bool next(AlignItem& item);
    std::vector<Step> first_round();
    std::vector<Step> all_rounds();
    void run(Graph::Spec spec);

    stages::LaneSource& source_;
    AlignContext context_;
    const AlignGraphOptions& options_;
    Tracer& tracer_;
    std::deque<AlignItem> parked_;
};

void LaneRun::run(Graph::Spec spec) {
    auto slots = make_slots(options_.slots, *context_.ops);
    spec.synchronous = slots.front()->stream->is_synchronous();
    spec.source_name = "align.read";
    spec.take = stages::take_stage;
    tbb::flow::graph flow;
    graph::RunState state;
    Graph lane_graph(flow, state, tracer_, std::move(spec), std::move(slots));
    lane_graph.activate();
    flow.wait_for_all();
    state.rethrow();
    lane_graph.check();
}

std::vector<Step> LaneRun::first_round() {
    return {{"align.seed", [this](AlignSlot& slot) { stages::begin_stage(slot, context_); }},
            {"align.extension", [this](AlignSlot& slot) { return stages::extension_stage(slot, context_); },
             stream_of}};
}

std::vector<Step> LaneRun::all_rounds() {
    using align::Round;
    const auto kernel = [this](AlignSlot& slot) { return stages::kernel_stage(slot, context_); };
    const auto next = [this](Round done) {
        return [this, done](AlignSlot& slot) { stages::next_stage(done, slot, context_); };
    };
    std::vector<Step> steps = first_round();
    steps.push_back({"align.pair", next(Round::extension)});
    steps.push_back({"align.rescue", kernel, stream_of});
    steps.push_back({"align.choose", next(Round::rescue)});
    steps.push_back({"align.traceback", kernel, stream_of});
    steps.push_back({"align.place", next(Round::traceback)});
    steps.push_back({"align.records", [this](AlignSlot& slot) { stages::finish_stage(slot, context_); }});
    return steps;
}

align::InsertSizeModel LaneRun::sample() {
    std::vector<int32_t> inserts;
    Graph::Spec spec;
    spec.name = "align.sample";
    spec.next = [this](AlignItem& item) {
        return source_.next(item.reads, align::k_insert_sample_templates);
    };
    spec.steps = first_round();
    spec.steps.push_back(
        {"align.inserts", [this](AlignSlot& slot) { stages::sample_stage(slot, context_); }});
    spec.ordered = true;
    spec.sink = [this, &inserts](AlignSlot& slot, const Graph::Lease&) {
        inserts.insert(inserts.end(), slot.inserts.begin(), slot.inserts.end());
        AlignItem& item = parked_.emplace_back();
        std::swap(item.reads, slot.reads);
        if (options_.keep_sample) std::swap(item.work, slot.work);
        item.extended = options_.keep_sample;
    };
    run(std::move(spec));
    return align::Aligner::estimate_inserts(std::move(inserts));
}

bool LaneRun::next(AlignItem& item) {
    if (parked_.empty()) {
        item.extended = false;
        return source_.next(item.reads);
    }
    item = std::move(parked_.front());
    parked_.pop_front();
    return true;
}

void LaneRun::align(const std::function<void(const data::RecordBatch&)>& accept, stages::AlignCounts& counts,
                    Progress& progress) {
    context_.model = sample();
    Graph::Spec spec;
    spec.name = "align";
    spec.next = [this](AlignItem& item) { return next(item); };
    spec.steps = all_rounds();
    spec.ordered = options_.ordered;
    if (!options_.ordered) {
        spec.steps.push_back({"sort.scatter", [&accept](AlignSlot& slot) { accept(slot.records); }});
    }
    spec.sink = [this, &accept, &counts, &progress](AlignSlot& slot, const Graph::Lease&) {
        if (options_.ordered) accept(slot.records);
        counts.add(slot.counts);
        progress.add(slot.counts.reads, "reads");
    };
    run(std::move(spec));
}

}  // namespace

AlignGraphResult run_align_graph(const std::vector<data::fastq::Lane>& lanes, const align::Aligner& aligner,
                                 const kernels::OpTable& ops, const AlignGraphOptions& options,
                                 Tracer& tracer,
                                 const std::function<void(const data::RecordBatch&)>& accept) {
    AlignGraphResult result;
    Progress progress("align");
    for (const data::fastq::Lane& lane : lanes) {
        stages::LaneSource source(data::fastq::LaneReader::open(lane, {options.batch_bases}), lane.read_group,
                                  result.input);
        LaneRun run(source, {&aligner, &ops, {}}, options, tracer);
        run.align(accept, result.counts, progress);
        result.models.push_back(run.model());
    }
    graph::reconcile("templates of align", result.input.next_template, result.counts.templates);
    graph::reconcile("reads of align", result.input.reads, result.counts.reads);
    return result;
}

}  // namespace gannet::pipeline
