// SPDX-License-Identifier: MIT
// Provides the wiring of the align graph: reads in, the rounds of the aligner, records out.
#include "pipeline/align_graph.hpp"

#include "data/error.hpp"
#include "pipeline/graph/sleeping_graph.hpp"
#include "pipeline/graph/slot_graph.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/stages/align_streams.hpp"
#include "pipeline/stages/read_inflater.hpp"
#include "pipeline/stream_graph.hpp"

#include <algorithm>
#include <array>
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

std::vector<std::unique_ptr<AlignSlot>> make_slots(size_t count) {
    std::vector<std::unique_ptr<AlignSlot>> slots;
    for (size_t number = 0; number < count; ++number) {
        slots.push_back(std::make_unique<AlignSlot>());
        slots.back()->number = number;
    }
    return slots;
}

/// A round in trace and report: what the host prepares, and the op.
struct RoundNames {
    align::Round round;
    const char* prepare;
    const char* op;
};
constexpr std::array<RoundNames, align::k_rounds.size()> k_round_names{{
    {align::Round::find_candidates, "align.pack_reads", "align.find_candidates"},
    {align::Round::extension, "align.take_candidates", "align.extension"},
    {align::Round::rescue_search, "align.list_rescues", "align.rescue_search"},
    {align::Round::rescue, "align.take_rescues", "align.rescue"},
    {align::Round::pairing, "align.list_pairs", "align.pairing"},
    {align::Round::traceback, "align.take_pairs", "align.traceback"},
}};

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
    bool read(AlignItem& item, uint64_t limit);
    bool next(AlignItem& item);
    void align_up_to_limit(const std::function<void(const data::RecordBatch&)>& accept,
                           stages::AlignCounts& counts);
    /// `accept`: is given the records as they are built; empty: they stay in the slot.
    std::vector<Step> steps(const std::function<void(const data::RecordBatch&)>& accept);
    /// Of the sample: its insert sizes, and the batch, which comes again when the model is known.
    void park(AlignSlot& slot);
    /// Once all of the sample is parked: makes the model.
    void end_sample();
    void set_limit();
    /// Runs the graph once, or twice while sampling_: up to the end of the sample, and on from there.
    /// `streamed`: the sink gives records to `stream_`, which lives as long as the graph.
    void run(Graph::Spec spec, bool streamed = false);

    stages::LaneSource& source_;
    AlignContext context_;
    const AlignGraphOptions& options_;
    Tracer& tracer_;
    Progress& progress_;
    const uint64_t bytes_before_;
    bool has_model_ = false;         ///< that of an earlier run
    bool sampling_ = false;          ///< the lane's first templates are read, for its model
    bool source_ended_ = false;      ///< the graph has had all templates up to limit_
    std::vector<int32_t> inserts_;   ///< of the sample
    std::deque<AlignItem> parked_;   ///< the sample
    uint64_t limit_ = UINT64_MAX;    ///< templates of the lane that the graph that runs goes up to
    StreamGraph* stream_ = nullptr;  ///< of the graph that runs
};

void LaneRun::run(Graph::Spec spec, bool streamed) {
    const stages::AlignStreams& streams = *context_.streams;
    auto slots = make_slots(streams.slots());
    spec.synchronous = streams.are_synchronous();
    spec.is_ready = [&streams] { return streams.are_made(); };
    spec.wait = [&streams] { streams.wait(); };
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
    if (sampling_ && !state.stopped()) {
        end_sample();
        lane_graph.activate();
        flow.wait();
    }
    if (stream) {
        stream->flush();
        flow.wait();
    }
    stream_ = nullptr;
    state.rethrow();
    lane_graph.check();
    if (stream) stream->check();
}

std::vector<Step> LaneRun::steps(const std::function<void(const data::RecordBatch&)>& accept) {
    const auto stream_of = [this](AlignSlot& slot) -> kernels::Stream& {
        return context_.streams->stream(slot.number);
    };
    std::vector<Step> steps;
    steps.push_back({"align.parse_reads", [this](AlignSlot& slot) { stages::parse_stage(slot, source_); }});
    if (options_.sequences != nullptr)
        steps.push_back({"align.track_sequences", [this](AlignSlot& slot) {
                             stages::track_sequences_stage(slot, *options_.sequences);
                         }});
    if (context_.aligner->parameters().trim_adapters)
        steps.push_back({"align.trim_adapters", stages::trim_stage});
    for (const RoundNames& names : k_round_names) {
        const align::Round round = names.round;
        steps.push_back({names.prepare,
                         [this, round](AlignSlot& slot) { stages::prepare_stage(slot, context_, round); }});
        steps.push_back({names.op,
                         [this, round](AlignSlot& slot) { return stages::op_stage(slot, context_, round); },
                         stream_of});
        if (round == align::Round::extension && sampling_)
            steps.push_back({"align.sample_insert_sizes",
                             [this](AlignSlot& slot) { stages::sample_insert_sizes_stage(slot, context_); }});
    }
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

void LaneRun::park(AlignSlot& slot) {
    inserts_.insert(inserts_.end(), slot.inserts.begin(), slot.inserts.end());
    AlignItem& item = parked_.emplace_back();  // its reads are parsed
    std::swap(item.reads, slot.reads);
    item.trimmed = slot.trimmed;
    item.tracked = slot.tracked;
    if (options_.keep_sample) std::swap(item.work, slot.work);
    item.rounds = options_.keep_sample ? stages::BatchRounds::after_sample : stages::BatchRounds::all;
}

void LaneRun::end_sample() {
    sampling_ = false;
    std::sort(parked_.begin(), parked_.end(),
              [](const AlignItem& a, const AlignItem& b) { return a.reads.ordinal < b.reads.ordinal; });
    context_.model = align::estimate_insert_sizes(std::move(inserts_));
    inserts_.clear();
    set_limit();
}

void LaneRun::set_limit() {
    const uint64_t step = options_.checkpoint_templates;
    const uint64_t before = source_.templates();
    limit_ = before > UINT64_MAX - step ? UINT64_MAX : before + step;
}

bool LaneRun::read(AlignItem& item, uint64_t limit) {
    const bool any = source_.next(item.text, item.reads, limit);
    item.trimmed.reset();
    item.tracked = false;
    progress_.set_position(bytes_before_ + source_.position_bytes(), options_.input_bytes);
    return any;
}

bool LaneRun::next(AlignItem& item) {
    if (sampling_) {
        item.rounds = stages::BatchRounds::sample;
        return read(item, align::k_insert_sample_templates);
    }
    if (!parked_.empty()) {
        item = std::move(parked_.front());
        parked_.pop_front();
        return true;
    }
    item.rounds = stages::BatchRounds::all;
    const bool any = read(item, limit_);
    source_ended_ = !any;
    return any;
}

void LaneRun::skip(uint64_t templates, const align::InsertSizeModel& model) {
    AlignItem item;
    while (read(item, templates)) {
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
    sampling_ = !has_model_ && !given.valid;
    if (!has_model_ && given.valid) context_.model = given;
    bool ended = false;
    while (!ended) {
        set_limit();
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
    spec.steps = steps(spec.ordered ? nullptr : accept);
    spec.sink = [this, &accept, &counts](AlignSlot& slot, const Graph::Lease& lease) {
        if (slot.rounds == stages::BatchRounds::sample) return park(slot);
        if (stream_) {
            stream_->add(slot.records, lease);
        } else if (options_.ordered) {
            accept(slot.records);
        }
        counts.add(slot.counts);
        progress_.add(slot.counts.reads);
    };
    run(std::move(spec), streamed);
    graph::reconcile("ends of the input of align", 1, source_ended_ ? 1 : 0);
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
    Progress progress("align", "reads", &tracer);
    uint64_t bytes_before = 0;
    const auto checkpoint = [&options](const AlignProgress& reached) {
        if (options.checkpoint) options.checkpoint(reached);
    };
    for (uint64_t lane = 0; lane < at.lane; ++lane) bytes_before += stored_bytes(lanes[lane]);
    const std::vector<data::fastq::Lane> left(lanes.begin() + static_cast<std::ptrdiff_t>(at.lane),
                                              lanes.end());
    std::optional<stages::ReadInflater> inflater;
    if (ops.inflate != nullptr && options.input_tasks != nullptr)
        inflater.emplace(ops, options.batch_bases, tracer);
    stages::ReadInflater* const batches = inflater ? &*inflater : nullptr;
    stages::LaneReaders readers(left, {options.batch_bases}, options.input_tasks, batches);
    const stages::AlignStreams streams(ops, aligner, options.slots, options.batch_bases, tracer, batches);
    for (const data::fastq::Lane& lane : left) {
        const stages::InputNumbers before = at.input;
        stages::LaneSource source(readers.next(), lane.read_group, at.input);
        LaneRun run(source, {&aligner, &streams, {}}, options, tracer, progress, bytes_before);
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
    if (options.sequences != nullptr)
        graph::reconcile("reads of track_sequences", result.counts.reads, options.sequences->reads());
    return result;
}

}  // namespace gannet::pipeline
