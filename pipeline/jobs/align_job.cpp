// SPDX-License-Identifier: MIT
// Provides the job of `gannet align`.
#include "pipeline/jobs/align_job.hpp"

#include "data/bed/reader.hpp"
#include "data/error.hpp"
#include "data/mapped_files.hpp"
#include "data/output_path.hpp"
#include "pipeline/jobs/align_phase.hpp"
#include "pipeline/jobs/alignment_output.hpp"
#include "pipeline/jobs/checkpoint.hpp"
#include "pipeline/jobs/contig_choice.hpp"
#include "pipeline/jobs/disk_space.hpp"
#include "pipeline/jobs/dry_run.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/plausibility.hpp"
#include "pipeline/jobs/qc_files.hpp"
#include "pipeline/jobs/report.hpp"
#include "pipeline/jobs/run_time.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/sorted_graph.hpp"

#include <iostream>
#include <optional>

namespace gannet::pipeline {
namespace {

using Format = data::bam::RecordWriter::Format;

std::string command_of(const AlignOptions& options) {
    CommandText command("align");
    describe_inputs(command, options.input);
    command.flag("--unsorted", options.unsorted);
    command.flag("--no-duplicates", !options.duplicates.mark);
    describe_duplicates(command, options.duplicates);
    describe_alignment(command, options.parameters);
    return command.text();
}

std::string header_of(const AlignOptions& options, const Inputs& inputs, const data::Reference& reference,
                      const data::ContigClasses& classes, const Session& session) {
    BamHeaderFacts facts;
    facts.sorted = !options.unsorted;
    facts.read_groups = inputs.read_groups;
    facts.command = command_of(options);
    facts.comments = {"gannet " + backend_text(session.ops()),
                      "gannet align parameters: " + options.parameters.to_text()};
    return bam_header(reference, classes, facts);
}

AlignFacts stream_unsorted(const AlignOptions& options, const Inputs& inputs, const OpenIndex& index,
                           const data::ContigClasses& classes, const MemoryPlan& plan, Format format,
                           Session& session) {
    const align::Aligner aligner(index.index, options.parameters, inputs.read_groups, classes);
    const std::string header = header_of(options, inputs, aligner.reference(), classes, session);
    AlignmentOutput output(
        {options.output, format, header, options.input.reference, options.level, session.threads(), false});
    AlignGraphOptions graph;
    graph.slots = plan.align_slots;
    graph.batch_bases = session.batch_bases();
    graph.keep_sample = plan.keep_sample;
    graph.input_bytes = inputs.stored_bytes();
    graph.input_tasks = &session.input_tasks();
    graph.ordered = true;
    graph.bam = output.bam();
    graph.level = options.level;
    AlignGraphResult result;
    session.energy().begin_phase("align");
    session.in_arena([&] {
        const auto huge_pages = move_to_huge_pages(aligner.index(), graph.input_bytes, session);
        result = run_align_graph(inputs.lanes, aligner, session.ops(), graph, session.tracer(),
                                 [&output](const data::RecordBatch& batch) {
                                     for (size_t i = 0; i < batch.entries.size(); ++i)
                                         output.records()->write(batch.view(i));
                                 });
    });
    data::require_unchanged_mappings();
    warn_of_reads(result.counts);
    Plausibility(options.strict).check_alignment(result.counts);
    output.close();
    AlignFacts facts;
    facts.counts = result.counts;
    facts.bases = result.counts.bases;
    facts.models = result.models;
    return facts;
}

AlignFacts write_sorted(const AlignOptions& options, const Inputs& inputs, const OpenIndex& index,
                        const data::ContigClasses& classes, const std::vector<data::bed::Row>& targets,
                        const MemoryPlan& plan, Format format, Session& session) {
    const std::string folder = data::is_written_in_place(options.output) ? "" : folder_of(options.output);
    std::string temporary = options.resources.temporary;
    if (temporary.empty()) temporary = folder.empty() ? "." : folder;
    const std::string header = header_of(options, inputs, *index.index->reference(), classes, session);
    const std::unique_ptr<Checkpoint> checkpoint =
        open_checkpoint(options.resources, temporary, options.output, inputs,
                        resume_facts(inputs, *index.index->reference(), header));
    check_temporary_space(temporary, folder, InputSizes::of(inputs), plan, checkpoint.get());
    AlignPhase phase(inputs, index, classes, options.parameters, plan, temporary, options.duplicates, session,
                     checkpoint.get(), !options.qc.empty());
    SortedGraphPlan graph;
    graph.slots = plan.emit_slots;
    graph.ops = &session.ops();
    AlignmentOutput output(
        {options.output, format, header, options.input.reference, options.level, session.threads()});
    output.plug_into(graph);
    Plausibility plausibility(options.strict);
    Coverage coverage(*index.index->reference());
    graph.coverage = &coverage;
    std::optional<qc::QualityControl> qc;
    if (!options.qc.empty()) graph.qc = &qc.emplace(*index.index->reference(), targets, phase.sequences());
    session.energy().begin_phase("align");
    phase.run();
    plausibility.check_alignment(phase.facts().counts);
    plausibility.check_duplicates(phase.libraries(), options.duplicates);
    session.energy().begin_phase("write");
    session.in_arena([&] { run_sorted_graph(phase.source(), graph, session.tracer()); });
    plausibility.check_depth(coverage.spread(data::bed::regions_of(targets)));
    if (qc)
        QcFiles(options.qc).write(*qc, {program_name(), command_of(options), inputs.sample, options.targets});
    if (!options.metrics.empty())
        write_text_file(options.metrics,
                        phase.duplicate_metrics(metrics_comment(inputs.sample, command_of(options))));
    output.close();
    if (checkpoint) checkpoint->remove();
    AlignFacts facts = phase.facts();
    facts.depth = DepthFacts::of(coverage, *index.index->reference());
    facts.sex = sex_depth(coverage, *index.index->reference(), data::bed::regions_of(targets));
    return facts;
}

JobFiles files_of(const AlignOptions& options, const Inputs& inputs) {
    JobFiles files;
    const std::string folder = data::is_written_in_place(options.output) ? "." : folder_of(options.output);
    files.reads_reference(options.input.reference, options.input.index, folder);
    files.reads_lanes(options.input, inputs);
    files.writes_indexed(options.output, "-o", !options.unsorted);
    files.reads(options.targets, "--targets");
    if (!options.qc.empty()) QcFiles(options.qc).add_to(files, "--qc", !options.targets.empty());
    files.writes(options.metrics, "--metrics").writes(options.report, "--report").writes(options.resources);
    return files;
}

MemoryPlan plan_for(const AlignOptions& options, uint64_t index_bytes,
                    const std::vector<data::bed::Row>& targets, const Session& session) {
    const uint64_t qc_bytes = options.qc.empty() ? 0 : qc_memory_bytes(targets);
    return plan_memory(session.memory_bytes(), index_bytes + qc_bytes, session.threads(), session.slots(),
                       session.pinned_bytes() + session.read_ahead_bytes());
}

/// The checks that a run begins with, and its plan.
void print_plan(const AlignOptions& options, const Inputs& inputs, Format format) {
    const JobFiles files = files_of(options, inputs);
    check_outputs(files);
    check_first_reads(inputs);
    check_checkpoint(options.resources, options.output, inputs);
    const InputSizes sizes = InputSizes::of(inputs);
    const Session session(options.resources, {false, estimated_cpu_s(inputs, sizes)});
    Plausibility(options.strict).check_files(inputs.lanes);
    const bool in_place = data::is_written_in_place(options.output);
    const std::string folder = in_place ? "" : folder_of(options.output);
    if (!in_place) check_output_space(folder, sizes);
    const PlannedIndex index =
        plan_index(options.input.reference, options.input.index, in_place ? "." : folder);
    classify_contigs(*index.reference, options.input.reference, options.input.alt);
    const MemoryPlan memory =
        plan_for(options, index.bytes, target_rows(options.targets, *index.reference), session);
    if (format == Format::cram) check_readable(options.input.reference);
    Plan plan(command_of(options));
    plan.add_resources(session, memory, &index);
    plan.add_reads(inputs, sizes);
    const std::string& given = options.resources.temporary;
    const std::string temporary = !given.empty() ? given : in_place ? "." : folder;
    plan.add_disk(folder, temporary, sizes, memory, !options.unsorted);
    plan.add_outputs(files);
    plan.add_checkpoint(options.resources, temporary, options.output);
    std::cout << plan.text() << std::flush;
}

}  // namespace

void describe_inputs(CommandText& command, const InputOptions& input) {
    command.word(input.reference);
    for (const std::string& file : input.reads) command.word(file);
    for (const std::string& lane : input.lanes) command.option("--lane", lane);
    command.option("--lanes", input.lanes_file).flag("--interleaved", input.interleaved);
    command.option("-R", input.read_group).option("--sample", input.sample);
    command.flag("-C", input.comment_tags).option("--alt", input.alt);
}

void describe_duplicates(CommandText& command, const DuplicateOptions& duplicates) {
    command.flag("--umi", duplicates.by_umi);
    if (duplicates.optical_distance_pixels != align::duplicates::k_optical_distance_pixels)
        command.option("--optical-distance", std::to_string(duplicates.optical_distance_pixels));
}

void describe_alignment(CommandText& command, const align::AlignerParameters& parameters) {
    const align::AlignerParameters usual;
    const int32_t match = parameters.scoring.match;
    if (match != usual.scoring.match) command.option("-A", std::to_string(match));
    // What is not given is the usual value times the score of a match.
    const auto number = [&command, match](const char* name, int32_t value, int32_t unless) {
        if (value != unless * match) command.option(name, std::to_string(value));
    };
    command.flag("--trim-adapters", parameters.trim_adapters);
    command.flag("--hard-clip", parameters.hard_clip).flag("-M", parameters.split_is_secondary);
    if (!parameters.minimum_score.lower_for_short_reads)
        command.option("-T", std::to_string(parameters.minimum_score.score));
    number("-B", parameters.scoring.mismatch, usual.scoring.mismatch);
    number("-O", parameters.scoring.gap_open, usual.scoring.gap_open);
    number("-E", parameters.scoring.gap_extend, usual.scoring.gap_extend);
    number("-L", parameters.scoring.end_bonus, usual.scoring.end_bonus);
    number("-U", parameters.unpaired_penalty, usual.unpaired_penalty);
    const align::InsertSizeModel& inserts = parameters.insert_size;
    if (inserts.valid) {
        command.option("-I", std::to_string(inserts.mean_bp) + "," + std::to_string(inserts.sd_bp) + "," +
                                 std::to_string(inserts.high_bp) + "," + std::to_string(inserts.low_bp));
    }
}

void run_align(const AlignOptions& options) {
    limit_headers(options.resources);
    const Inputs inputs = resolve_inputs(options.input);
    const Format format = output_format(options.output, options.format, !options.unsorted);
    if (options.dry_run) return print_plan(options, inputs, format);
    const OutputLocks locks = files_of(options, inputs).lock();
    const InputSizes sizes = InputSizes::of(inputs);
    Session session(options.resources, {true, estimated_cpu_s(inputs, sizes)});
    Plausibility(options.strict).check_files(inputs.lanes);
    const bool in_place = data::is_written_in_place(options.output);
    const std::string folder = in_place ? "." : folder_of(options.output);
    if (!in_place) check_output_space(folder, sizes);
    const OpenIndex index =
        open_or_build_index(options.input.reference, options.input.index, folder, session);
    const data::ContigClasses classes =
        classify_contigs(*index.index->reference(), options.input.reference, options.input.alt);
    const std::vector<data::bed::Row> targets =
        target_rows(options.unsorted ? "" : options.targets, *index.index->reference());
    const MemoryPlan plan = plan_for(options, index.bytes, targets, session);
    if (format == Format::cram) check_readable(options.input.reference);

    RunReport report;
    report.align = options.unsorted
                       ? stream_unsorted(options, inputs, index, classes, plan, format, session)
                       : write_sorted(options, inputs, index, classes, targets, plan, format, session);
    session.write_trace();
    if (!in_place) report.outputs = {{"alignments", options.output}};
    if (!options.metrics.empty()) report.outputs.emplace_back("duplicate metrics", options.metrics);
    if (!options.qc.empty()) report.outputs.emplace_back("quality control", options.qc + ".*");
    if (!options.report.empty()) {
        report.command = command_of(options);
        report.sample = inputs.sample;
        report.reference = options.input.reference;
        report.inputs = inputs.files();
        report.align_parameters = options.parameters.to_text();
        report.outputs.emplace_back("report", options.report);
        write_text_file(options.report, to_json(report, session, session.tracer()));
    }
    log_summary(report, session, session.tracer());
}

}  // namespace gannet::pipeline
