// SPDX-License-Identifier: MIT
// Provides alignment into the sorter.
#include "pipeline/jobs/align_phase.hpp"

#include "align/chain.hpp"
#include "pipeline/graph/run_state.hpp"
#include "pipeline/progress.hpp"

namespace gannet::pipeline {

void warn_of_reads(const stages::AlignCounts& counts) {
    if (counts.reads == 0) log_warning("no reads in the input: the outputs will be valid, but empty");
    if (counts.too_long != 0) {
        log_warning(std::to_string(counts.too_long) + " of " + std::to_string(counts.reads) +
                    " reads are longer than " + std::to_string(align::k_max_read_bp) +
                    " bases, the most that gannet aligns: they are left unmapped");
    }
}

AlignPhase::AlignPhase(const Inputs& inputs, const OpenIndex& index,
                       const align::AlignerParameters& parameters, const MemoryPlan& plan,
                       const std::string& temporary, bool mark_duplicates, Session& session)
    : inputs_(inputs),
      plan_(plan),
      session_(session),
      mark_duplicates_(mark_duplicates),
      aligner_(index.index, parameters, inputs.read_groups),
      temporary_(temporary),
      sorter_(*index.index->reference(), {plan.sorter_bytes, temporary_.path()}),
      marker_(mark_duplicates ? std::make_unique<align::duplicates::Marker>(
                                    inputs.read_groups,
                                    align::duplicates::MarkerOptions{plan.marker_bytes, temporary_.path()})
                              : nullptr) {}

void AlignPhase::run() {
    AlignGraphOptions options;
    options.slots = plan_.align_slots;
    options.batch_bases = session_.options().batch_bases;
    options.keep_sample = plan_.keep_sample;
    options.input_bytes = inputs_.stored_bytes();
    Tracer& tracer = session_.tracer();
    session_.in_arena([&] {
        result_ = run_align_graph(inputs_.lanes, aligner_, session_.ops(), options, tracer,
                                  [this](const data::RecordBatch& batch) {
                                      sorter_.add(batch);
                                      if (marker_) marker_->add(batch);
                                  });
    });
    graph::reconcile("records of sort", result_.counts.records, sorter_.records());
    warn_of_reads(result_.counts);
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
    return {result_.counts,          result_.input.bases, mark_duplicates_, source_->duplicates(),
            sorter_.spilled_bytes(), result_.models,      std::nullopt};
}

std::string AlignPhase::duplicate_metrics(const std::string& comment) const {
    return mark_duplicates_ ? align::duplicates::metrics_text(decision_, comment) : std::string();
}

}  // namespace gannet::pipeline
