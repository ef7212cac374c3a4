// SPDX-License-Identifier: MIT
// Provides alignment into the sorter.
#include "pipeline/jobs/align_phase.hpp"

#include "data/mapped_files.hpp"
#include "pipeline/graph/run_state.hpp"
#include "pipeline/log.hpp"
#include "pipeline/progress.hpp"

#include <algorithm>

namespace gannet::pipeline {

void warn_of_reads(const stages::AlignCounts& counts) {
    if (counts.reads == 0) log_warning("no reads in the input: the outputs will be valid, but empty");
    if (counts.trimmed_reads != 0) {
        log_info(std::to_string(counts.trimmed_reads) + " reads had adapters, " +
                 std::to_string(counts.trimmed_bases) + " bases, which were removed");
    }
    if (counts.too_long != 0) {
        log_warning(std::to_string(counts.too_long) + " of " + std::to_string(counts.reads) +
                    " reads are longer than " + std::to_string(align::k_max_read_bp) +
                    " bases, the most that gannet aligns: they are left unmapped");
    }
}

/// What a message on a record names: the file of reads, if that is one.
std::string input_of(const Inputs& inputs) {
    return inputs.lanes.size() == 1 && inputs.files().front() != "-" ? inputs.files().front() : "";
}

AlignPhase::AlignPhase(const Inputs& inputs, const OpenIndex& index, const data::ContigClasses& classes,
                       const align::AlignerParameters& parameters, const MemoryPlan& plan,
                       const std::string& temporary, const DuplicateOptions& duplicates, Session& session,
                       Checkpoint* checkpoint, bool counts_sequences)
    : inputs_(inputs),
      plan_(plan),
      session_(session),
      mark_duplicates_(duplicates.mark),
      aligner_(index.index, parameters, inputs.read_groups, classes),
      checkpoint_(checkpoint),
      temporary_(checkpoint == nullptr ? std::optional<TemporaryFolder>(std::in_place, temporary)
                                       : std::nullopt),
      sorter_(*index.index->reference(),
              {plan.sorter_bytes, spill_folder(), checkpoint != nullptr ? "records" : ""}),
      marker_(duplicates.mark ? std::make_unique<align::duplicates::Marker>(
                                    inputs.read_groups,
                                    duplicates.of_marker(plan.marker_bytes, spill_folder(), input_of(inputs),
                                                         checkpoint != nullptr ? "keys" : ""))
                              : nullptr),
      // The run that goes on from a checkpoint may have quality control where this one has none.
      sequences_(counts_sequences || checkpoint != nullptr ? std::make_unique<qc::SequenceTracker>()
                                                           : nullptr) {}

std::string AlignPhase::spill_folder() const {
    return checkpoint_ != nullptr ? checkpoint_->folder() : temporary_->path();
}

void AlignPhase::save(const AlignProgress& reached) {
    Tracer& tracer = session_.tracer();
    const Span span(tracer, tracer.stage("align.checkpoint"), reached.input.next_batch);
    data::StateWriter state;
    state.put(reached.counts);
    state.put(reached.input);
    state.put_all(reached.models);
    state.put(reached.lane);
    state.put(reached.lane_templates);
    sorter_.save(state, static_cast<unsigned>(session_.threads()));
    if (marker_) marker_->save(state);
    sequences_->save(state);
    checkpoint_->save(state.bytes());
}

AlignProgress AlignPhase::restore() {
    AlignProgress reached;
    data::StateReader state(*checkpoint_->saved(), checkpoint_->manifest());
    reached.counts = state.get<stages::AlignCounts>();
    reached.input = state.get<stages::InputNumbers>();
    reached.models = state.get_all<align::InsertSizeModel>();
    reached.lane = state.get<uint64_t>();
    reached.lane_templates = state.get<uint64_t>();
    // Limits that the user gives (-I) may be any.
    const bool are_given = aligner_.parameters().insert_size.valid;
    const bool models_are_possible =
        std::all_of(reached.models.begin(), reached.models.end(), [are_given](const auto& model) {
            return are_given || (model.low_bp <= model.mean_bp && model.mean_bp <= model.high_bp);
        });
    const bool possible =
        models_are_possible && reached.lane <= inputs_.lanes.size() &&
        reached.models.size() >= reached.lane &&
        reached.models.size() - reached.lane <= (reached.lane < inputs_.lanes.size() ? 1 : 0) &&
        reached.lane_templates <= reached.input.next_template &&
        reached.counts.templates == reached.input.next_template &&
        reached.counts.reads == reached.input.reads;
    if (!possible) state.fail();
    const auto threads = static_cast<unsigned>(session_.threads());
    sorter_.restore(state, threads);
    if (marker_) marker_->restore(state, threads, reached.input.next_template);
    sequences_->restore(state, reached.input.next_batch);
    if (!state.empty() || sorter_.records() != reached.counts.records ||
        sequences_->reads() != reached.counts.reads)
        state.fail();
    log_info("continuing after " + std::to_string(reached.counts.reads) +
             " reads that an earlier run has aligned");
    return reached;
}

void AlignPhase::run() {
    AlignGraphOptions options;
    options.slots = plan_.align_slots;
    options.batch_bases = session_.batch_bases();
    options.keep_sample = plan_.keep_sample;
    options.input_bytes = inputs_.stored_bytes();
    options.input_tasks = &session_.input_tasks();
    options.sequences = sequences_.get();
    if (checkpoint_ != nullptr) {
        if (checkpoint_->saved()) options.begin = restore();
        resumed_reads_ = options.begin.counts.reads;
        options.checkpoint = [this](const AlignProgress& reached) { save(reached); };
        options.checkpoint_templates = session_.options().checkpoint_templates;
    }
    Tracer& tracer = session_.tracer();
    session_.in_arena([&] {
        const auto huge_pages = move_to_huge_pages(aligner_.index(), options.input_bytes, session_);
        result_ = run_align_graph(inputs_.lanes, aligner_, session_.ops(), options, tracer,
                                  [this](const data::RecordBatch& batch) {
                                      sorter_.add(batch);
                                      if (marker_) marker_->add(batch);
                                  });
    });
    data::require_unchanged_mappings();  // before anything of it is written
    graph::reconcile("records of sort", result_.counts.records, sorter_.records());
    warn_of_reads(result_.counts);
    const Progress progress(marker_ ? "mark duplicates" : "sort", "", &tracer);
    {
        const Span span(tracer, tracer.stage("sort.finish"), 0);
        sorter_.finish_input();
    }
    if (marker_) {
        const Span span(tracer, tracer.stage("duplicates.decide"), 0);
        decision_ = marker_->decide(static_cast<unsigned>(session_.threads()));
        marker_.reset();
    }
    source_ = std::make_unique<stages::BucketSource>(sorter_, mark_duplicates_ ? &decision_ : nullptr);
}

AlignFacts AlignPhase::facts() const {
    AlignFacts facts;
    facts.counts = result_.counts;
    facts.bases = result_.counts.bases;
    facts.duplicates_marked = mark_duplicates_;
    facts.duplicates = source_->duplicates();
    for (const align::duplicates::LibraryMetrics& library : decision_.metrics)
        facts.optical_duplicate_pairs += library.read_pair_optical_duplicates;
    facts.spilled_bytes = sorter_.spilled_bytes();
    facts.models = result_.models;
    facts.resumed_reads = resumed_reads_;
    return facts;
}

std::string AlignPhase::duplicate_metrics(const std::string& comment) const {
    return mark_duplicates_ ? align::duplicates::metrics_text(decision_, comment) : std::string();
}

}  // namespace gannet::pipeline
