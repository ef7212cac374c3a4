// SPDX-License-Identifier: MIT
// Provides the alignments that a job writes.
#include "pipeline/jobs/alignment_output.hpp"

namespace gannet::pipeline {

using Format = data::bam::RecordWriter::Format;

Format output_format(const std::string& path, const std::string& given, bool sorted) {
    const auto named = [&](const char* name) {
        return given == name || (given.empty() && path.ends_with("." + std::string(name)));
    };
    if (named("cram")) return Format::cram;
    if (named("bam")) return Format::bam;
    if (named("sam")) return Format::sam;
    return sorted ? Format::bam : Format::sam;
}

AlignmentOutput::AlignmentOutput(const Plan& plan) : level_(plan.level) {
    if (plan.format == Format::bam)
        bam_.emplace(plan.path, plan.header, plan.level, plan.sorted);
    else
        records_.emplace(plan.path, plan.format, plan.header, plan.reference, plan.threads,
                         plan.sorted && plan.format == Format::cram);
}

void AlignmentOutput::plug_into(SortedGraphPlan& graph) {
    graph.bam = bam();
    graph.records = records();
    graph.level = level_;
}

void AlignmentOutput::close() {
    if (bam_) bam_->close();
    if (records_) records_->close();
}

}  // namespace gannet::pipeline
