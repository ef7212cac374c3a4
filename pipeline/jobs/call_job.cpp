// SPDX-License-Identifier: MIT
// Provides the job of `gannet call`.
#include "pipeline/jobs/call_job.hpp"

#include "data/bed/reader.hpp"
#include "data/error.hpp"
#include "data/output_path.hpp"
#include "data/vcf/indexed_sites.hpp"
#include "pipeline/jobs/contig_choice.hpp"
#include "pipeline/jobs/dry_run.hpp"
#include "pipeline/jobs/forced_alleles.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/index_file.hpp"
#include "pipeline/jobs/inputs.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/plausibility.hpp"
#include "pipeline/jobs/ploidy.hpp"
#include "pipeline/jobs/report.hpp"
#include "pipeline/jobs/scorer.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/log.hpp"
#include "pipeline/stages/chunk_source.hpp"
#include "variants/records/filters.hpp"
#include "variants/records/known_ids.hpp"
#include "variants/records/missing_alleles.hpp"

#include <algorithm>
#include <iostream>

namespace gannet::pipeline {
namespace {

/// Splits "chr1,chr2:1-2,000" at commas that begin a new region: not those between digits of a number of the
/// same region, nor those of a name in braces.
std::vector<std::string> split_regions(const std::string& text, const data::Reference& reference) {
    std::vector<std::string> parts;
    std::string part;
    bool has_colon = false;  // after the name
    for (size_t at = 0; at <= text.size(); ++at) {
        if (part.empty() && at < text.size() && text[at] == '{') {
            const size_t end = std::min(text.find('}', at), text.size() - 1);
            part = text.substr(at, end + 1 - at);
            at = end;
            continue;
        }
        if (at < text.size() && text[at] != ',') {
            has_colon |= text[at] == ':';
            part += text[at];
            continue;
        }
        // "chr1:1,000-2,000": three digits after the comma continue a number, unless what follows names a
        // contig.
        const std::string rest = text.substr(std::min(at + 1, text.size()));
        const std::string name = rest.substr(0, rest.find_first_of(",:"));
        const bool digits = rest.size() >= 3 && std::all_of(rest.begin(), rest.begin() + 3,
                                                            [](char c) { return c >= '0' && c <= '9'; });
        if (at < text.size() && digits && has_colon && !reference.find(name)) {
            part += ',';
            continue;
        }
        if (!part.empty()) parts.push_back(part);
        part.clear();
        has_colon = false;
    }
    return parts;
}

data::RegionSet intersect(const data::RegionSet& a, const data::RegionSet& b) {
    std::vector<data::Region> both;
    auto x = a.regions().begin();
    auto y = b.regions().begin();
    while (x != a.regions().end() && y != b.regions().end()) {
        if (x->contig == y->contig) {
            const int64_t begin = std::max(x->begin, y->begin);
            const int64_t end = std::min(x->end, y->end);
            if (begin < end) both.push_back({x->contig, begin, end});
        }
        // The one that ends first can meet nothing more.
        const bool x_ends_first = x->contig != y->contig ? x->contig < y->contig : x->end < y->end;
        ++(x_ends_first ? x : y);
    }
    return data::RegionSet(std::move(both));
}

data::vcf::HeaderFacts with_contigs(const CallScope& scope, data::vcf::HeaderFacts facts) {
    if (!scope.contigs.empty()) facts.extra_lines.push_back("##gannet_contigs=" + scope.contigs);
    return facts;
}

variants::BlockParameters block_parameters(const GvcfOptions& gvcf, const CallScope& scope) {
    return {gvcf.wanted(), gvcf.bands, scope.block_bounds};
}

JobFiles files_of(const CallOptions& options) {
    JobFiles files;
    files.reads_reference(options.reference, options.index);
    files.reads_with_indexes(options.alignments, "the alignments");
    files.reads_with_indexes(options.alleles, "--alleles").reads_indexed_variants(options.dbsnp, "--dbsnp");
    files.reads(options.targets, "--targets").reads(options.regions_file, "--regions-file");
    files.reads(options.sample_model.primers, "--primers");
    files.reads_ploidy(options.ploidy).reads_model(options.scorer).reads_alternates(options.alt);
    files.writes_indexed(options.output, "-o").writes_indexed(options.gvcf.path, "--gvcf");
    files.writes(options.report, "--report");
    files.writes(options.resources);
    return files;
}

OutputLocks lock_outputs(const CallOptions& options) {
    const JobFiles files = files_of(options);
    if (!options.dry_run) return files.lock();
    check_outputs(files);
    return {};
}

void write_report(const CallOptions& options, Session& session, RunReport& report) {
    report.reference = options.reference;
    report.inputs = {options.alignments};
    report.call_parameters = options.parameters.to_text();
    report.outputs.emplace_back("report", options.report);
    write_text_file(options.report, to_json(report, session, session.tracer()));
}

}  // namespace

CallScope call_scope(const std::vector<std::string>& regions, const std::string& regions_file,
                     const std::string& targets, const data::Reference& reference, int64_t padding_bp) {
    CallScope scope;
    if (padding_bp > 0 && regions.empty() && regions_file.empty() && targets.empty())
        throw data::Error(
            data::ErrorKind::usage,
            "--interval-padding extends the intervals of --regions, --regions-file and --targets: "
            "give one of them");
    const auto load = [&reference](const std::string& path) {
        data::RegionSet intervals = data::bed::load(path, reference);
        if (intervals.empty()) throw data::Error(data::ErrorKind::usage, path + ": holds no interval");
        return intervals;
    };
    const auto padded = [&](std::vector<data::Region> intervals) {
        for (data::Region& interval : intervals) {
            const auto length = static_cast<int64_t>(reference.contigs()[interval.contig].length);
            interval.begin = std::max<int64_t>(0, interval.begin - padding_bp);
            interval.end = std::min(length, interval.end + padding_bp);
        }
        return data::RegionSet(std::move(intervals));
    };
    const bool limited = !regions.empty() || !regions_file.empty();
    if (limited) {
        std::vector<data::Region> parsed;
        if (!regions_file.empty()) parsed = load(regions_file).regions();
        for (const std::string& text : regions) {
            for (const std::string& part : split_regions(text, reference)) {
                parsed.push_back(data::parse_region(part, reference));
            }
        }
        scope.windows = scope.targets = padded(std::move(parsed));
        if (scope.windows.empty())
            throw data::Error(data::ErrorKind::usage, "--regions: names nothing of the reference");
    }
    if (!targets.empty()) {
        const data::RegionSet bed = padded(load(targets).regions());
        scope.targets = limited ? intersect(scope.windows, bed) : bed;
        if (scope.targets.empty())
            throw data::Error(data::ErrorKind::usage, "--regions and --targets have no base in common");
        scope.windows = scope.targets;
        scope.block_bounds = bed;
    }
    return scope;
}

void limit_to_primary(CallScope& scope, const data::Reference& reference, const data::ContigClasses& classes,
                      bool all) {
    if (scope.given() || classes.all_primary()) return;
    if (all) {
        scope.contigs = "all";
        return;
    }
    scope.windows = scope.targets = primary_regions(reference, classes);
    scope.contigs = primary_text(reference, classes);
    log_info("variants are called on " + scope.contigs +
             " (--contigs all, --regions or --targets: on others)");
}

CallSink::CallSink(const std::string& output, std::shared_ptr<const data::Reference> reference,
                   const variants::CallerParameters& parameters, const CallScope& scope,
                   const SamplePloidy& ploidy, const MeasuredSample& measured, const std::string& sample,
                   const std::string& command, std::shared_ptr<const ml::Model> model,
                   const GvcfOptions& gvcf, const Session& session)
    : reference_(std::move(reference)),
      windows_(scope.windows),
      model_(std::move(model)),
      caller_(reference_, parameters, scope.targets, scoring_parameters(model_.get()), ploidy.map,
              measured.model, block_parameters(gvcf, scope)),
      facts_(with_contigs(scope, vcf_facts(sample, command, backend_text(session.ops()), parameters.to_text(),
                                           ploidy.text, measured.text, scorer_text(model_.get()),
                                           variants::describe_filters(parameters)))),
      writer_(output, *reference_, facts_),
      gvcf_(gvcf),
      targets_(scope.targets),
      ploidy_(ploidy.map),
      session_(session) {
    if (!gvcf.wanted()) return;
    data::vcf::HeaderFacts facts = facts_;
    facts.dialect = gvcf.dialect;
    facts.bands = gvcf.bands;
    gvcf_writer_ = std::make_unique<data::vcf::Writer>(gvcf.path, *reference_, facts);
}

CallSink::~CallSink() = default;

void CallSink::set_known_variants(const std::string& dbsnp) {
    if (dbsnp.empty()) return;
    dbsnp_ = dbsnp;
    known_ids_ =
        std::make_unique<variants::KnownIds>(data::vcf::IndexedSites::open(dbsnp, *reference_), reference_);
}

void CallSink::set_forced_alleles(std::shared_ptr<const variants::ForcedAlleles> given) {
    if (!given) return;
    given_ = given;
    caller_.set_forced_alleles(given);
    missing_ = std::make_unique<variants::MissingAlleles>(std::move(given), targets_, ploidy_);
}

void CallSink::write(std::span<const data::Variant> variants) {
    if (stats_ != nullptr) stats_->add(variants);
    writer_.write(variants);
}

/// Only here are all records of forced alleles known, so that those get their IDs here.
void CallSink::write_completed() {
    variants::add_given_ids(*given_, completed_);
    if (known_ids_) known_ids_->annotate(completed_);
    write(completed_);
}

void CallSink::close() {
    if (missing_) {
        completed_.clear();
        missing_->finish(completed_);
        write_completed();
    }
    writer_.close();
    if (gvcf_writer_) gvcf_writer_->close();
    if (known_ids_ && known_ids_->foreign_records() > 0)
        log_warning(dbsnp_ + ": " + std::to_string(known_ids_->foreign_records()) +
                    " records near variants are passed over, since their REF is not the reference's");
}

void CallSink::plug_into(SortedGraphPlan& plan, const MemoryPlan& memory) {
    plan.caller = &caller_;
    plan.scorer = model_ ? &model_->weights : nullptr;
    plan.ops = &session_.ops();
    plan.reference = reference_.get();
    plan.regions = windows_;
    plan.call_slots = memory.call_slots;
    plan.batch_records = session_.options().batch_records;
    plan.accept = [this](std::span<const data::Variant> variants) {
        if (!missing_) return write(variants);
        completed_.clear();
        missing_->add(variants, completed_);
        write_completed();
    };
    if (!missing_) plan.known_ids = known_ids_.get();
    if (!gvcf_writer_) return;
    plan.accept_gvcf = [this](const data::vcf::PackedLines& lines) { gvcf_writer_->write(lines); };
    plan.gvcf_format = data::vcf::format_of(gvcf_.path);
    plan.gvcf_dialect = gvcf_.dialect;
}

void run_call(const CallOptions& options) {
    if (options.alignments != "-") check_readable(options.alignments);
    if (!options.sample.empty()) check_sample_name(options.sample);
    const OutputLocks locks = lock_outputs(options);
    const auto model = choose_scorer(options.scorer);
    Session session(options.resources);
    const auto reference = options.dry_run ? plan_index(options.reference, options.index, "").reference
                                           : open_reference(options.reference, options.index, session);
    CallScope scope = call_scope(options.regions, options.regions_file, options.targets, *reference,
                                 options.interval_padding_bp);
    const SamplePloidy ploidy = sample_ploidy(options.ploidy, *reference);
    stages::BamSource source(options.alignments, options.reference, reference, scope.windows, options.sample);
    data::ContigClasses classes = classify_contigs(*reference, options.reference, options.alt);
    if (options.alt.empty()) add_alternates_of_header(source.alternate_contigs(), *reference, classes);
    limit_to_primary(scope, *reference, classes, options.all_contigs);
    const std::string sample = source.sample().empty() ? default_sample(options.alignments) : source.sample();
    CommandText command("call");
    command.word(options.reference).word(options.alignments).option("--sample", options.sample);
    for (const std::string& region : options.regions) command.option("--regions", region);
    command.option("--regions-file", options.regions_file);
    command.option("--targets", options.targets);
    describe_intervals(command, options.interval_padding_bp);
    command.option("--alleles", options.alleles).option("--dbsnp", options.dbsnp);
    describe_contigs(command, options.alt, options.all_contigs);
    describe_ploidy(command, options.ploidy);
    describe_sample(command, options.sample_model);
    describe_scorer(command, options.scorer);

    const MemoryPlan memory = plan_memory(session.memory_bytes(), bytes_of_contigs(*reference),
                                          session.threads(), session.slots(), session.pinned_bytes());
    if (options.dry_run) {
        read_forced_alleles(options.alleles, reference);
        if (!options.dbsnp.empty()) data::vcf::IndexedSites::open(options.dbsnp, *reference);
        read_primers(options.sample_model.primers, *reference);
        Plan plan(command.text());
        plan.add_resources(session, memory, nullptr);
        plan.add("sample", sample);
        plan.add("calls", extent_text(scope.windows, *reference) + "; scorer " + scorer_text(model.get()));
        plan.add_outputs(files_of(options));
        std::cout << plan.text() << std::flush;
        return;
    }
    session.energy().begin_phase("measure sample");
    const MeasuredSample measured =
        measure_sample(options.sample_model, source, *reference, ploidy.map,
                       static_cast<unsigned>(session.threads()), session.tracer());
    note_unscored_reads(model.get(), measured.model);
    Plausibility plausibility(options.strict);
    plausibility.check_base_qualities(measured.seen);
    CallSink sink(options.output, reference, options.parameters, scope, ploidy, measured, sample,
                  command.text(), model, options.gvcf, session);
    sink.set_forced_alleles(read_forced_alleles(options.alleles, reference));
    sink.set_known_variants(options.dbsnp);
    SortedGraphPlan plan;
    plan.slots = memory.emit_slots;
    sink.plug_into(plan, memory);
    Coverage coverage(*reference);
    plan.coverage = &coverage;
    RunReport report;
    session.energy().begin_phase("call");
    session.in_arena([&] { report.call = run_sorted_graph(source, plan, session.tracer()); });
    plausibility.check_qualities(options.alignments, source.mapped(), source.without_qualities());
    plausibility.check_spliced(options.alignments, source.spliced());
    Plausibility::check_marked(options.alignments, source.mapped(), source.duplicates());
    Plausibility::check_mapped(options.alignments, source.mapped(), scope.given());
    // Regions select reads: their spread says nothing about the data.
    if (!scope.given() && options.sample_model.primers.empty()) plausibility.check_depth(coverage.spread());
    if (options.regions.empty() && options.regions_file.empty())
        plausibility.check_sex(sex_depth(coverage, *reference, scope.block_bounds), options.ploidy);
    Plausibility::check_calls(report.call->variants.pass);
    sink.close();
    session.write_trace();
    if (!data::is_written_in_place(options.output)) report.outputs = {{"variants", options.output}};
    if (options.gvcf.wanted() && !data::is_written_in_place(options.gvcf.path))
        report.outputs.emplace_back("gVCF", options.gvcf.path);
    if (!options.report.empty()) {
        report.command = command.text();
        report.sample = sample;
        report.ploidy = ploidy.text;
        report.scorer = scorer_text(model.get());
        report.sample_profile = measured.text;
        write_report(options, session, report);
    }
    log_summary(report, session, session.tracer());
}

}  // namespace gannet::pipeline
