// SPDX-License-Identifier: MIT
// Provides the job of `gannet run`.
#include "pipeline/jobs/run_job.hpp"

#include "data/error.hpp"
#include "data/index_names.hpp"
#include "data/output_file.hpp"
#include "data/output_path.hpp"
#include "data/vcf/indexed_sites.hpp"
#include "pipeline/jobs/align_job.hpp"
#include "pipeline/jobs/align_phase.hpp"
#include "pipeline/jobs/alignment_output.hpp"
#include "pipeline/jobs/call_job.hpp"
#include "pipeline/jobs/checkpoint.hpp"
#include "pipeline/jobs/contig_choice.hpp"
#include "pipeline/jobs/disk_space.hpp"
#include "pipeline/jobs/dry_run.hpp"
#include "pipeline/jobs/forced_alleles.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/html_report.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/plausibility.hpp"
#include "pipeline/jobs/qc_files.hpp"
#include "pipeline/jobs/report.hpp"
#include "pipeline/jobs/run_time.hpp"
#include "pipeline/jobs/scorer.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/log.hpp"
#include "pipeline/report/kept_views.hpp"
#include "pipeline/resources.hpp"
#include "pipeline/temporary_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

struct Paths {
    Paths(const RunOptions& of, const std::string& sample, bool has_scorer) {
        stem = (fs::path(of.output) / sample).string();
        const bool is_cram = of.format == "cram";
        alignments = stem + (is_cram ? ".cram" : ".bam");
        other_alignments = stem + (is_cram ? ".bam" : ".cram");
        vcf = stem + ".vcf.gz";
        duplicates = stem + ".duplicates.txt";
        report = stem + ".run.json";
        resume = stem + ".align.json";
        gvcf_beside_vcf = stem + ".g.vcf.gz";
        gvcf = of.gvcf;
        qc_of_stem = QcFiles(stem);
        if (of.qc) qc = qc_of_stem;
        if (of.qc) variant_stats = stem + ".bcftools_stats.txt";
        if (of.qc) views_of_stem = stem + report::k_views_ending;
        if (has_scorer) views = views_of_stem;
        page_of_stem = stem + ".report.html";
        if (of.qc && of.report) page = page_of_stem;
        if (of.gvcf.beside_vcf) gvcf.path = gvcf_beside_vcf;
    }
    /// Files of quality control that are there: of this run, since those of earlier ones were removed.
    std::vector<std::string> qc_written() const {
        std::vector<std::string> written;
        std::vector<std::string> wanted = qc.paths();
        wanted.push_back(variant_stats);
        wanted.push_back(views);
        std::error_code fault;
        for (const std::string& path : wanted)
            if (fs::is_regular_file(path, fault)) written.push_back(path);
        return written;
    }
    std::string stem, alignments, vcf, duplicates, report, resume;
    std::string other_alignments;  ///< of the other format: not written, and not removed
    std::string page_of_stem;      ///< report as HTML, written or not
    std::string page;              ///< the same; empty: not written
    std::string variant_stats;     ///< quality control of the VCF; empty: not written
    std::string views_of_stem;     ///< what the scorer saw, written or removed; empty: neither
    std::string views;             ///< the same; empty: not written
    std::string gvcf_beside_vcf;   ///< written or not; not removed where it is not
    GvcfOptions gvcf;
    QcFiles qc_of_stem;  ///< written or not
    QcFiles qc;
};

std::string command_of(const RunOptions& options) {
    CommandText command("run");
    describe_inputs(command, options.input);
    command.flag("--no-duplicates", !options.duplicates.mark);
    describe_duplicates(command, options.duplicates);
    describe_alignment(command, options.align_parameters);
    for (const std::string& region : options.regions) command.option("--regions", region);
    command.option("--regions-file", options.regions_file).option("--targets", options.targets);
    describe_intervals(command, options.interval_padding_bp);
    command.option("--alleles", options.alleles).option("--dbsnp", options.dbsnp);
    describe_contigs(command, "", options.all_contigs);
    describe_ploidy(command, options.ploidy);
    describe_sample(command, options.sample_model);
    describe_scorer(command, options.scorer);
    return command.text();
}

JobFiles files_of(const RunOptions& options, const Inputs& inputs, const Paths& paths) {
    JobFiles files;
    files.reads_reference(options.input.reference, options.input.index, options.output);
    files.reads_lanes(options.input, inputs).reads(options.targets, "--targets");
    files.reads(options.regions_file, "--regions-file").reads(options.sample_model.primers, "--primers");
    files.reads_with_indexes(options.alleles, "--alleles").reads_indexed_variants(options.dbsnp, "--dbsnp");
    files.reads_ploidy(options.ploidy).reads_model(options.scorer);
    files.writes_indexed(paths.alignments, "the output").writes_indexed(paths.vcf, "the output");
    if (options.gvcf.wanted())
        files.writes_indexed(paths.gvcf.path, options.gvcf.beside_vcf ? "the output" : "--gvcf");
    if (options.duplicates.mark) files.writes(paths.duplicates, "the output");
    files.writes_before(paths.report, paths.resume, "the output");
    paths.qc.add_to(files, "the output", !options.targets.empty(), paths.report);
    if (!paths.variant_stats.empty()) files.writes_before(paths.report, paths.variant_stats, "the output");
    if (paths.views.empty())
        files.may_write_before(paths.report, paths.views_of_stem, "the output");
    else
        files.writes_before(paths.report, paths.views, "the output");
    if (!paths.page.empty()) files.writes_before(paths.report, paths.page, "the output");
    files.reads(options.report_limits, "--report-limits");
    files.writes(paths.report, "the output").writes(options.resources);
    return files;
}

class RunJob {
  public:
    explicit RunJob(const RunOptions& options);
    void run();
    /// With dry_run: what run() would do.
    std::string plan() const;

  private:
    MemoryPlan plan_for(uint64_t index_bytes) const;
    void align_and_call(const MemoryPlan& memory);
    void call_from_bam(const MemoryPlan& memory);
    MeasuredSample measure(stages::ChunkSource& source);
    void set_quality_control(CallSink& sink);
    bool can_resume();
    bool resumed(const MemoryPlan& memory);
    void remove_old_results();
    void write_quality_control() const;
    void commit();
    /// What the finished alignments are of. Of their level a checkpoint knows nothing.
    std::string alignment_facts() const {
        return facts_ + " level " + std::to_string(options_.level) + size_and_time(paths_.alignments) +
               targets_digest(qc_targets_);
    }
    std::string temporary_folder() const {
        return options_.resources.temporary.empty() ? options_.output : options_.resources.temporary;
    }

    const RunOptions& options_;
    const Inputs inputs_;
    const InputSizes sizes_;
    const std::shared_ptr<const ml::Model> model_;
    const Paths paths_;
    const OutputLocks locks_;
    const report::Limits limits_;  ///< of the verdict
    Session session_;
    OpenIndex index_;
    PlannedIndex planned_;  ///< with dry_run, instead of it
    data::ContigClasses classes_;
    CallScope scope_;
    SamplePloidy ploidy_;
    std::shared_ptr<const variants::ForcedAlleles> given_;
    std::string command_;
    std::string header_;
    std::string facts_;
    std::unique_ptr<Checkpoint> checkpoint_;  ///< with --checkpoint, until the end of the run
    std::vector<data::bed::Row> qc_targets_;  ///< of quality control
    qc::VariantStats variant_stats_;
    std::optional<report::ViewKeeper> views_;  ///< with a scorer and quality control
    RunReport report_;
};

OutputLocks lock_outputs(const RunOptions& options, const Inputs& inputs, const Paths& paths) {
    const JobFiles files = files_of(options, inputs, paths);
    check_names_of_samples(options.output, inputs.sample, options.gvcf.beside_vcf);
    if (options.dry_run) {
        check_outputs(files, options.output);
        check_first_reads(inputs);
        check_checkpoint(options.resources, paths.alignments, inputs);
        return {};
    }
    files.check();
    make_output_folder(options.output);
    return files.lock();
}

/// Results of an earlier run that this one does not replace are not removed either.
void warn_of_left_results(const RunOptions& options, const Paths& paths) {
    std::error_code ignored;
    const auto warn = [&](const std::string& path, const char* why) {
        if (!fs::exists(fs::symlink_status(path, ignored))) return;
        log_warning(path + ": is there from before and is left as it is, since " + why +
                    "; it may be of other reads than the outputs of this run");
    };
    warn(paths.other_alignments, "this run writes its alignments in another format");
    if (paths.gvcf.path != paths.gvcf_beside_vcf) warn(paths.gvcf_beside_vcf, "this run writes no such gVCF");
    if (!options.duplicates.mark) warn(paths.duplicates, "this run does not mark duplicates");
    if (!options.qc) warn(paths.qc_of_stem.paths().front(), "this run has no quality control");
    if (paths.page.empty()) warn(paths.page_of_stem, "this run makes no report of HTML");
}

RunJob::RunJob(const RunOptions& options)
    : options_(options),
      inputs_(resolve_inputs(options.input)),
      sizes_(InputSizes::of(inputs_)),
      model_(choose_scorer(options.scorer)),
      paths_(options, inputs_.sample, model_ != nullptr),
      locks_(lock_outputs(options, inputs_, paths_)),
      limits_(read_limits(options.report_limits)),
      session_(options.resources, {true, estimated_cpu_s(inputs_, sizes_)}),
      command_(command_of(options)) {
    warn_of_left_results(options, paths_);
    Plausibility(options.strict).check_files(inputs_.lanes);
    check_output_space(options.output, sizes_);
    std::shared_ptr<const data::Reference> genome;
    if (options.dry_run) {
        planned_ = plan_index(options.input.reference, options.input.index, options.output);
        genome = planned_.reference;
    } else {
        index_ = open_or_build_index(options.input.reference, options.input.index, options.output, session_);
        genome = index_.index->reference();
    }
    const data::Reference& reference = *genome;
    if (options.format == "cram") check_readable(options.input.reference);
    classes_ = classify_contigs(reference, options.input.reference, options.input.alt);
    scope_ = call_scope(options.regions, options.regions_file, options.targets, reference,
                        options.interval_padding_bp);
    if (options.qc) qc_targets_ = target_rows(options.targets, reference);
    // Refused before hours of aligning, not after.
    if (!options.dbsnp.empty()) data::vcf::IndexedSites::open(options.dbsnp, reference);
    read_primers(options.sample_model.primers, reference);
    limit_to_primary(scope_, reference, classes_, options.all_contigs);
    given_ = read_forced_alleles(options.alleles, genome);
    ploidy_ = sample_ploidy(options.ploidy, reference);
    BamHeaderFacts facts;
    facts.read_groups = inputs_.read_groups;
    facts.command = command_;
    facts.comments = {"gannet " + backend_text(session_.ops()),
                      "gannet align parameters: " + options.align_parameters.to_text()};
    header_ = bam_header(reference, classes_, facts);
    facts_ = resume_facts(inputs_, reference, header_);
    if (model_) facts_ += " scorer " + model_->sha256;
}

void RunJob::set_quality_control(CallSink& sink) {
    if (!options_.qc) return;
    variant_stats_ = {};
    sink.set_stats(&variant_stats_);
    if (paths_.views.empty()) return;
    views_.emplace(*index_.index->reference());
    sink.set_views(&*views_);
}

MeasuredSample RunJob::measure(stages::ChunkSource& source) {
    session_.energy().begin_phase("measure sample");
    release_free_memory();  // what aligning has freed; the allocator keeps it otherwise
    MeasuredSample measured =
        measure_sample(options_.sample_model, source, *index_.index->reference(), ploidy_.map,
                       static_cast<unsigned>(session_.threads()), session_.tracer());
    release_free_memory();
    note_unscored_reads(model_.get(), measured.model);
    report_.sample_profile = measured.text;
    return measured;
}

bool RunJob::can_resume() {
    std::error_code fault;
    const uint64_t bytes = fs::file_size(paths_.alignments, fault);
    if (fault) return false;
    const std::vector<std::string> indexes = data::index_names_of(paths_.alignments);
    const bool has_index = std::any_of(indexes.begin(), indexes.end(),
                                       [&](const std::string& name) { return fs::exists(name, fault); });
    if (!has_index || !fs::is_regular_file(paths_.resume, fault)) return false;
    const std::string text = read_text_file(paths_.resume);
    if (text.empty() || !are_files(inputs_.files())) return false;
    report_.align = facts_from_json(text, alignment_facts(), bytes);
    if (!report_.align) {
        log_info(paths_.resume + ": is of other inputs, options or another build of gannet, or " +
                 paths_.alignments + " was changed since: starting from the reads");
    }
    if (report_.align && options_.qc && !(report_.align->qc_written && paths_.qc.exist())) {
        log_info(paths_.alignments +
                 ": has no files of quality control from its run: starting from the reads");
        report_.align.reset();
    }
    if (report_.align && options_.duplicates.mark && !fs::is_regular_file(paths_.duplicates, fault)) {
        log_info(paths_.duplicates + ": is not there any more: starting from the reads");
        report_.align.reset();
    }
    return report_.align.has_value();
}

/// Before the first new file gets its final name: from here on nothing says that the folder holds a finished
/// run, and no results that this run makes anew are beside those of an earlier one. The report goes first: it
/// vouches for the others.
void RunJob::remove_old_results() {
    for (const std::string& path : {paths_.report, paths_.resume}) data::remove_old_file(path);
    if (!paths_.page.empty()) data::remove_old_file(paths_.page);
    data::remove_old_indexed_file(paths_.vcf);
    if (options_.duplicates.mark) data::remove_old_file(paths_.duplicates);
    if (paths_.gvcf.wanted()) data::remove_old_indexed_file(paths_.gvcf.path);
    paths_.qc.remove_old();
    for (const std::string& path : {paths_.variant_stats, paths_.views_of_stem})
        if (!path.empty()) data::remove_old_file(path);
}

void RunJob::write_quality_control() const {
    if (!paths_.variant_stats.empty())
        write_text_file(paths_.variant_stats,
                        variant_stats_.text(fs::path(paths_.vcf).filename().string(),
                                            {program_name(), command_, inputs_.sample, ""}));
    if (!paths_.views.empty())
        write_text_file(paths_.views, report::views_text(views_->views(), scorer_text(model_.get())));
}

void RunJob::align_and_call(const MemoryPlan& memory) {
    const std::string temporary = temporary_folder();
    checkpoint_ = open_checkpoint(options_.resources, temporary, paths_.alignments, inputs_, facts_);
    check_temporary_space(temporary, options_.output, sizes_, memory, checkpoint_.get());
    AlignPhase phase(inputs_, index_, classes_, options_.align_parameters, memory, temporary,
                     options_.duplicates, session_, checkpoint_.get(), options_.qc);
    AlignmentOutput output({paths_.alignments, output_format(paths_.alignments, options_.format, true),
                            header_, options_.input.reference, options_.level, session_.threads()});
    Plausibility plausibility(options_.strict);
    Coverage coverage(*index_.index->reference());
    session_.energy().begin_phase("align");
    phase.run();
    plausibility.check_duplicates(phase.libraries(), options_.duplicates);
    const MeasuredSample measured = measure(phase.source());
    plausibility.check_alignment(phase.facts().counts, measured.seen);
    plausibility.check_base_qualities(measured.seen);
    CallSink sink(paths_.vcf, index_.index->reference(), options_.call_parameters, scope_, ploidy_, measured,
                  inputs_.sample, command_, model_, paths_.gvcf, session_);
    SortedGraphPlan plan;
    std::optional<qc::QualityControl> qc;
    if (options_.qc) plan.qc = &qc.emplace(*index_.index->reference(), qc_targets_, phase.sequences());
    plan.coverage = &coverage;
    output.plug_into(plan);
    plan.slots = memory.emit_slots;
    // A run that is killed from here on, while the last windows are called, resumes at the alignments.
    plan.written = [&] {
        if (options_.sample_model.primers.empty() || !options_.targets.empty())
            plausibility.check_depth(coverage.spread(scope_.block_bounds));
        report_.align = phase.facts();
        report_.align->sex = sex_depth(coverage, *index_.index->reference(), scope_.block_bounds);
        plausibility.check_sex(*report_.align->sex, options_.ploidy);
        report_.align->depth = DepthFacts::of(coverage, *index_.index->reference());
        report_.align->findings = plausibility.findings();
        remove_old_results();
        output.close();
        if (options_.duplicates.mark)
            write_text_file(paths_.duplicates,
                            phase.duplicate_metrics(metrics_comment(inputs_.sample, command_)));
        if (qc) paths_.qc.write(*qc, {program_name(), command_, inputs_.sample, options_.targets});
        report_.align->qc_written = qc.has_value();
        write_text_file(paths_.resume,
                        facts_to_json(*report_.align, alignment_facts(), fs::file_size(paths_.alignments)));
    };
    sink.set_forced_alleles(given_);
    sink.set_known_variants(options_.dbsnp);
    set_quality_control(sink);
    sink.plug_into(plan, memory);
    session_.energy().begin_phase("write and call");
    session_.in_arena([&] { report_.call = run_sorted_graph(phase.source(), plan, session_.tracer()); });
    sink.close();
    write_quality_control();
}

void RunJob::call_from_bam(const MemoryPlan& memory) {
    log_info(paths_.alignments + ": finished by an earlier run of the same command, going on with calling");
    remove_dead_temporary_folders(temporary_folder());
    stages::BamSource source(paths_.alignments, options_.input.reference, index_.index->reference(),
                             scope_.windows);
    const MeasuredSample measured = measure(source);
    CallSink sink(paths_.vcf, index_.index->reference(), options_.call_parameters, scope_, ploidy_, measured,
                  inputs_.sample, command_, model_, paths_.gvcf, session_);
    SortedGraphPlan plan;
    plan.slots = memory.emit_slots;
    sink.set_forced_alleles(given_);
    sink.set_known_variants(options_.dbsnp);
    set_quality_control(sink);
    sink.plug_into(plan, memory);
    session_.energy().begin_phase("call");
    session_.in_arena([&] { report_.call = run_sorted_graph(source, plan, session_.tracer()); });
    data::remove_old_file(paths_.report);
    for (const std::string& path : {paths_.page, paths_.variant_stats, paths_.views_of_stem})
        if (!path.empty()) data::remove_old_file(path);
    sink.close();
    write_quality_control();
    report_.resumed = true;
}

/// False where there are no alignments to go on with, or it turns out to be damaged.
bool RunJob::resumed(const MemoryPlan& memory) {
    if (!can_resume()) return false;
    // What the earlier run has found of these alignments is as true of this one.
    warn_of_reads(report_.align->counts);
    for (const std::string& finding : report_.align->findings) Plausibility(options_.strict).report(finding);
    try {
        call_from_bam(memory);
        return true;
    } catch (const data::Error& error) {
        if (error.kind() != data::ErrorKind::malformed_input) throw;
        log_warning(std::string(error.what()) +
                    ": the alignments of the earlier run are damaged, starting from the reads");
    }
    report_.align.reset();
    report_.call.reset();
    return false;
}

void RunJob::commit() {
    session_.write_trace();
    if (checkpoint_)
        checkpoint_->remove();
    else if (options_.resources.checkpoint)
        remove_checkpoint(temporary_folder(), paths_.alignments);
    report_.command = command_;
    report_.sample = inputs_.sample;
    report_.reference = options_.input.reference;
    report_.inputs = inputs_.files();
    report_.align_parameters = options_.align_parameters.to_text();
    report_.call_parameters = options_.call_parameters.to_text();
    report_.ploidy = ploidy_.text;
    report_.scorer = scorer_text(model_.get());
    report_.outputs = {{"alignments", paths_.alignments}, {"variants", paths_.vcf}};
    if (paths_.gvcf.wanted()) report_.outputs.emplace_back("gVCF", paths_.gvcf.path);
    if (options_.duplicates.mark) report_.outputs.emplace_back("duplicate metrics", paths_.duplicates);
    if (options_.qc)
        report_.outputs.emplace_back("quality control",
                                     (fs::path(options_.output) / (inputs_.sample + ".*")).string());
    if (!paths_.page.empty()) report_.outputs.emplace_back("HTML report", paths_.page);
    report_.outputs.emplace_back("report", paths_.report);
    for (const std::string& path : paths_.qc_written())
        report_.quality_control.push_back(fs::path(path).filename().string());
    report_.trace = options_.resources.trace;
    Plausibility::check_calls(report_.call->variants.pass);  // before the report, which has all warnings
    const std::string json = to_json(report_, session_, session_.tracer());
    if (!paths_.page.empty()) write_text_file(paths_.page, run_report_html(paths_.stem, json, limits_));
    write_text_file(paths_.report, json);
    std::error_code ignored;
    fs::remove(paths_.resume, ignored);
    log_summary(report_, session_, session_.tracer());
}

MemoryPlan RunJob::plan_for(uint64_t index_bytes) const {
    return plan_memory(session_.memory_bytes(), index_bytes + qc_memory_bytes(qc_targets_),
                       session_.threads(), session_.slots(),
                       session_.pinned_bytes() + session_.read_ahead_bytes());
}

std::string RunJob::plan() const {
    const MemoryPlan memory = plan_for(planned_.bytes);
    Plan plan(command_);
    plan.add_resources(session_, memory, &planned_);
    plan.add_reads(inputs_, sizes_);
    plan.add("calls",
             extent_text(scope_.windows, *planned_.reference) + "; scorer " + scorer_text(model_.get()));
    plan.add_disk(options_.output, temporary_folder(), sizes_, memory, true);
    std::error_code fault;
    if (fs::is_regular_file(paths_.resume, fault))
        plan.add("continues", paths_.alignments + ", if it is of the same command and inputs");
    plan.add_outputs(files_of(options_, inputs_, paths_), paths_.resume);
    plan.add_checkpoint(options_.resources, temporary_folder(), paths_.alignments);
    return plan.text();
}

void RunJob::run() {
    const MemoryPlan memory = plan_for(index_.bytes);
    if (!resumed(memory)) align_and_call(memory);
    commit();
}

}  // namespace

void run_run(const RunOptions& options) {
    limit_headers(options.resources);
    RunJob job(options);
    if (options.dry_run)
        std::cout << job.plan() << std::flush;
    else
        job.run();
}

}  // namespace gannet::pipeline
