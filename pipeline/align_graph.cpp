// SPDX-License-Identifier: MIT
// Provides the wiring of the align graph: reads in, three rounds of banded_sw, records out.
#include "pipeline/align_graph.hpp"

#include "data/error.hpp"
#include "pipeline/graph/sleeping_graph.hpp"
#include "pipeline/graph/slot_graph.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/stages/resident_index.hpp"
#include "pipeline/stages/stream_sizes.hpp"
#include "pipeline/stream_graph.hpp"

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace gannet::pipeline {
namespace {

using stages::AlignContext;
using stages::AlignItem;
using stages::AlignSlot;
using Graph = graph::SlotGraph<AlignItem, AlignSlot>;
using Step = graph::Step<AlignSlot>;

/// Records of so many templates are built and then scattered to the sort: about 1 MB for 2x150 reads, which
/// lies in the caches still. The larger batches of a device have several times as many.
constexpr size_t k_scattered_templates = 1500;

std::vector<std::unique_ptr<AlignSlot>> make_slots(const AlignGraphOptions& options,
                                                   const AlignContext& context) {
    const kernels::OpTable& ops = *context.ops;
    const kernels::StreamSize size = stages::align_stream_size(options.batch_bases, context.op_by_op);
    std::vector<std::unique_ptr<AlignSlot>> slots;
    for (auto& stream : ops.make_streams(options.slots, size)) {
        slots.push_back(std::make_unique<AlignSlot>());
        slots.back()->stream = std::move(stream);
    }
    return slots;
}

kernels::Stream& stream_of(AlignSlot& slot) { return *slot.stream; }

/// The sampling and the aligning of one lane.
class LaneRun {
  public:
    /// `bytes_before`: read of the lanes before this one.
    LaneRun(stages::LaneSource& source, AlignContext context, const AlignGraphOptions& options,
            Tracer& tracer, Progress& progress, uint64_t bytes_before)
        : source_(source),
          context_(std::move(context)),
          options_(options),
          tracer_(tracer),
          progress_(progress),
          bytes_before_(bytes_before) {}

    const align::InsertSizeModel& model() const { return context_.model; }
    /// `finished`: after this many templates of the lane, or at its end, all records so far have been
    /// accepted.
    void align(const std::function<void(const data::RecordBatch&)>& accept, stages::AlignCounts& counts,
               const std::function<void(uint64_t templates)>& finished);
    /// Skips templates that an earlier run aligned with `model`, which takes the place of the sample.
    void skip(uint64_t templates, const align::InsertSizeModel& model);

  private:
    /// Reads and extends the sample; afterwards its batches wait in `parked_`.
    align::InsertSizeModel sample();
    bool read(data::ReadBatch& batch, uint64_t limit);
    bool next(AlignItem& item);
    void align_up_to_limit(const std::function<void(const data::RecordBatch&)>& accept,
                           stages::AlignCounts& counts);
    std::vector<Step> candidate_steps();
    std::vector<Step> extension_steps();
    void add_rescue_steps(std::vector<Step>& steps);
    void add_choice_steps(std::vector<Step>& steps);
    /// `accept`: is given the records as they are built; empty: they stay in the slot.
    std::vector<Step> all_steps(const std::function<void(const data::RecordBatch&)>& accept);
    /// `streamed`: the sink gives records to `stream_`, which lives as long as the graph.
    void run(Graph::Spec spec, bool streamed = false);

    stages::LaneSource& source_;
    AlignContext context_;
    const AlignGraphOptions& options_;
    Tracer& tracer_;
    Progress& progress_;
    const uint64_t bytes_before_;
    std::deque<AlignItem> parked_;
    bool has_model_ = false;
    uint64_t limit_ = UINT64_MAX;    ///< templates of the lane that the graph that runs goes up to
    StreamGraph* stream_ = nullptr;  ///< of the graph that runs
};

void LaneRun::run(Graph::Spec spec, bool streamed) {
    auto slots = make_slots(options_, context_);
    spec.synchronous = slots.front()->stream->is_synchronous();
    spec.source_name = "align.read";
    spec.take = stages::take_stage;
    graph::SleepingGraph flow;
    graph::RunState state;
    Graph lane_graph(flow, state, tracer_, std::move(spec), std::move(slots));
    std::optional<StreamGraph> stream;  // after the graph whose leases it holds
    if (streamed) stream.emplace(flow, state, *options_.bam, options_.level, options_.slots, tracer_);
    stream_ = stream ? &*stream : nullptr;
    lane_graph.activate();
    flow.wait();
    if (stream) {
        stream->flush();
        flow.wait();
    }
    stream_ = nullptr;
    state.rethrow();
    lane_graph.check();
    if (stream) stream->check();
}

std::vector<Step> LaneRun::candidate_steps() {
    if (!context_.op_by_op)
        return {{"align.find_candidates",
                 [this](AlignSlot& slot) { stages::find_candidates_stage(slot, context_); }}};
    return {{"align.pack_reads", [this](AlignSlot& slot) { stages::pack_reads_stage(slot, context_); }},
            {"align.find_candidates",
             [this](AlignSlot& slot) { return stages::candidates_stage(slot, context_); }, stream_of},
            {"align.take_candidates",
             [this](AlignSlot& slot) { stages::take_candidates_stage(slot, context_); }}};
}

std::vector<Step> LaneRun::extension_steps() {
    std::vector<Step> steps = candidate_steps();
    steps.push_back({"align.extension",
                     [this](AlignSlot& slot) { return stages::extension_stage(slot, context_); }, stream_of});
    return steps;
}

void LaneRun::add_rescue_steps(std::vector<Step>& steps) {
    if (!context_.op_by_op) {
        steps.push_back({"align.prepare_rescue",
                         [this](AlignSlot& slot) { stages::prepare_rescue_stage(slot, context_); }});
        steps.push_back({"align.rescue",
                         [this](AlignSlot& slot) { return stages::banded_sw_stage(slot, context_); },
                         stream_of});
        return;
    }
    steps.push_back(
        {"align.list_rescues", [this](AlignSlot& slot) { stages::list_rescues_stage(slot, context_); }});
    steps.push_back({"align.rescue_search",
                     [this](AlignSlot& slot) { return stages::rescue_search_stage(slot, context_); },
                     stream_of});
    steps.push_back({"align.rescue", [this](AlignSlot& slot) { return stages::rescue_stage(slot, context_); },
                     stream_of});
}

void LaneRun::add_choice_steps(std::vector<Step>& steps) {
    if (!context_.op_by_op) {
        steps.push_back(
            {"align.choose_pairs", [this](AlignSlot& slot) { stages::choose_pairs_stage(slot, context_); }});
        return;
    }
    steps.push_back(
        {"align.list_pairs", [this](AlignSlot& slot) { stages::list_pairs_stage(slot, context_); }});
    steps.push_back({"align.pairing",
                     [this](AlignSlot& slot) { return stages::pairing_stage(slot, context_); }, stream_of});
    steps.push_back(
        {"align.take_pairs", [this](AlignSlot& slot) { stages::take_pairs_stage(slot, context_); }});
}

std::vector<Step> LaneRun::all_steps(const std::function<void(const data::RecordBatch&)>& accept) {
    const auto banded_sw = [this](AlignSlot& slot) { return stages::banded_sw_stage(slot, context_); };
    std::vector<Step> steps = extension_steps();
    add_rescue_steps(steps);
    add_choice_steps(steps);
    steps.push_back({"align.traceback", banded_sw, stream_of});
    if (!accept) {
        steps.push_back({"align.build_records",
                         [this](AlignSlot& slot) { stages::build_records_stage(slot, context_); }});
        return steps;
    }
    steps.push_back({"align.build_records", [this, accept](AlignSlot& slot) {
                         stages::build_records_stage(
                             slot, context_, k_scattered_templates, [&](const data::RecordBatch& records) {
                                 const Span span(tracer_, tracer_.stage("sort.scatter"));
                                 accept(records);
                             });
                     }});
    return steps;
}

align::InsertSizeModel LaneRun::sample() {
    std::vector<int32_t> inserts;
    Graph::Spec spec;
    spec.name = "align.sample";
    spec.next = [this](AlignItem& item) { return read(item.reads, align::k_insert_sample_templates); };
    spec.steps = extension_steps();
    spec.steps.push_back({"align.sample_insert_sizes",
                          [this](AlignSlot& slot) { stages::sample_insert_sizes_stage(slot, context_); }});
    spec.ordered = true;
    spec.sink = [this, &inserts](AlignSlot& slot, const Graph::Lease&) {
        inserts.insert(inserts.end(), slot.inserts.begin(), slot.inserts.end());
        AlignItem& item = parked_.emplace_back();
        std::swap(item.reads, slot.reads);
        if (options_.keep_sample) std::swap(item.work, slot.work);
        item.extended = options_.keep_sample;
    };
    run(std::move(spec));
    return align::estimate_insert_sizes(std::move(inserts));
}

bool LaneRun::read(data::ReadBatch& batch, uint64_t limit) {
    const bool any = source_.next(batch, limit);
    progress_.set_position(bytes_before_ + source_.position_bytes(), options_.input_bytes);
    return any;
}

bool LaneRun::next(AlignItem& item) {
    if (parked_.empty()) {
        item.extended = false;
        return read(item.reads, limit_);
    }
    item = std::move(parked_.front());
    parked_.pop_front();
    return true;
}

void LaneRun::skip(uint64_t templates, const align::InsertSizeModel& model) {
    data::ReadBatch batch;
    while (read(batch, templates)) {
    }
    if (source_.templates() != templates) {
        throw data::Error(data::ErrorKind::malformed_input,
                          "the reads end before template " + std::to_string(templates) +
                              " of their lane, which an earlier run has aligned: they have changed");
    }
    context_.model = model;
    has_model_ = true;
}

void LaneRun::align(const std::function<void(const data::RecordBatch&)>& accept, stages::AlignCounts& counts,
                    const std::function<void(uint64_t templates)>& finished) {
    const align::InsertSizeModel& given = context_.aligner->parameters().insert_size;
    if (!has_model_) context_.model = given.valid ? given : sample();
    bool ended = false;
    while (!ended) {
        const uint64_t step = options_.checkpoint_templates;
        const uint64_t before = source_.templates();
        limit_ = before > UINT64_MAX - step ? UINT64_MAX : before + step;
        align_up_to_limit(accept, counts);
        ended = source_.templates() < limit_;
        if (!ended) finished(source_.templates());
    }
}

void LaneRun::align_up_to_limit(const std::function<void(const data::RecordBatch&)>& accept,
                                stages::AlignCounts& counts) {
    Graph::Spec spec;
    spec.name = "align";
    spec.next = [this](AlignItem& item) { return next(item); };
    const bool streamed = options_.bam != nullptr;
    spec.ordered = options_.ordered || streamed;
    spec.steps = all_steps(spec.ordered ? nullptr : accept);
    spec.sink = [this, &accept, &counts](AlignSlot& slot, const Graph::Lease& lease) {
        if (stream_) {
            stream_->add(slot.records, lease);
        } else if (options_.ordered) {
            accept(slot.records);
        }
        counts.add(slot.counts);
        progress_.add(slot.counts.reads);
    };
    run(std::move(spec), streamed);
}

/// Of the files of a lane, as far as they have a size.
uint64_t stored_bytes(const data::fastq::Lane& lane) {
    uint64_t bytes = 0;
    for (const std::string& path : {lane.first, lane.second}) {
        std::error_code fault;
        const uint64_t size = path.empty() ? 0 : std::filesystem::file_size(path, fault);
        if (!fault) bytes += size;
    }
    return bytes;
}

}  // namespace

AlignGraphResult run_align_graph(const std::vector<data::fastq::Lane>& lanes, const align::Aligner& aligner,
                                 const kernels::OpTable& ops, const AlignGraphOptions& options,
                                 Tracer& tracer,
                                 const std::function<void(const data::RecordBatch&)>& accept) {
    AlignProgress at = options.begin;
    Progress progress("align", "reads");
    uint64_t bytes_before = 0;
    const auto checkpoint = [&options](const AlignProgress& reached) {
        if (options.checkpoint) options.checkpoint(reached);
    };
    for (uint64_t lane = 0; lane < at.lane; ++lane) bytes_before += stored_bytes(lanes[lane]);
    const std::vector<data::fastq::Lane> left(lanes.begin() + static_cast<std::ptrdiff_t>(at.lane),
                                              lanes.end());
    stages::LaneReaders readers(left, {options.batch_bases}, options.input_tasks);
    const stages::ResidentIndex resident(ops, aligner, options.slots, options.batch_bases);
    for (const data::fastq::Lane& lane : left) {
        const stages::InputNumbers before = at.input;
        stages::LaneSource source(readers.next(), lane.read_group, at.input);
        LaneRun run(source, {&aligner, &ops, {}, resident.op_by_op()}, options, tracer, progress,
                    bytes_before);
        if (at.models.size() > at.lane) {
            run.skip(at.lane_templates, at.models.back());
            at.input = before;  // these templates are counted already
        }
        run.align(accept, at.counts, [&](uint64_t templates) {
            at.models.resize(at.lane);
            at.models.push_back(run.model());
            at.lane_templates = templates;
            checkpoint(at);
        });
        at.models.resize(at.lane);
        at.models.push_back(run.model());
        ++at.lane;
        at.lane_templates = 0;
        checkpoint(at);
        bytes_before += source.position_bytes();
    }
    AlignGraphResult result{at.counts, at.input, at.models};
    graph::reconcile("templates of align", result.input.next_template, result.counts.templates);
    graph::reconcile("reads of align", result.input.reads, result.counts.reads);
    return result;
}

}  // namespace gannet::pipeline
