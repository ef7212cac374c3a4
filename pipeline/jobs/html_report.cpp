// SPDX-License-Identifier: MIT
// Provides the job of `gannet report`, and the report of `gannet run`.
#include "pipeline/jobs/html_report.hpp"

#include "data/error.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/qc_files.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/log.hpp"
#include "pipeline/report/kept_views.hpp"
#include "pipeline/report/pages.hpp"

#include <array>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

/// Everything that a report reads, so that none of it is written over.
void add_inputs(const report::RunFiles& run, JobFiles& files) {
    constexpr std::array<const char*, 3> k_endings = {".duplicates.txt", ".bcftools_stats.txt",
                                                      report::k_views_ending};
    const report::RunFile facts = report::parse_run_file(read_text_file(run.run_json), run.run_json);
    files.reads(facts.execution.trace, "the trace of the run");
    for (const std::string& path : facts.inputs) files.reads(path, "an input of the run,");
    files.reads(run.run_json, "run.json").reads_with_indexes(run.path(".bam"), "the alignments");
    files.reads_with_indexes(run.path(".cram"), "the alignments").reads_reference(facts.reference, "");
    files.reads_with_indexes(run.path(".vcf.gz"), "the variants");
    files.reads_with_indexes(run.path(".g.vcf.gz"), "the gVCF");
    for (const char* ending : k_endings) files.reads(run.path(ending), "a file of the run");
    const QcFiles quality_control(run.stem);
    for (const std::string& path : quality_control.paths()) files.reads(path, "a file of the run");
}

/// The sample's own report as a link from the page; empty where it has none.
std::string link_of(const report::RunFiles& run, const std::string& output) {
    const std::string own = run.path(".report.html");
    std::error_code fault;
    if (output == "-" || !fs::is_regular_file(own, fault)) return "";
    const fs::path folder = fs::absolute(output, fault).parent_path();
    const fs::path relative = fs::absolute(own, fault).lexically_relative(folder);
    return relative.empty() ? "" : relative.generic_string();
}

/// "CHROM:POS"; the name of a contig may have colons.
std::vector<std::pair<std::string, int64_t>> sites_of(const std::vector<std::string>& texts) {
    std::vector<std::pair<std::string, int64_t>> sites;
    for (const std::string& text : texts) {
        const size_t colon = text.rfind(':');
        int64_t position = 0;
        const char* const end = text.data() + text.size();
        if (colon != std::string::npos && colon > 0) {
            const auto [last, fault] = std::from_chars(text.data() + colon + 1, end, position);
            if (fault != std::errc{} || last != end) position = 0;
        }
        if (position < 1)
            throw data::Error(data::ErrorKind::usage,
                              "--sites '" + text + "': write CHROM:POS, the position 1-based");
        sites.emplace_back(text.substr(0, colon), position);
    }
    return sites;
}

}  // namespace

report::Limits read_limits(const std::string& path) {
    report::Limits limits;
    if (!path.empty()) {
        check_readable(path);
        limits.change(read_text_file(path), path);
    }
    return limits;
}

std::string run_report_html(const std::string& stem, const std::string& run_json,
                            const report::Limits& limits) {
    const report::SampleFigures figures = report::read_sample({stem + ".run.json", stem}, run_json);
    return report::sample_page(figures, report::checks_of(figures, limits), program_name());
}

void run_report(const ReportOptions& options) {
    std::vector<report::RunFiles> runs;
    std::vector<std::string> unfinished;
    std::set<std::string> known;
    for (const std::string& path : options.runs) {
        std::vector<report::RunFiles> found = report::find_runs(path);
        if (found.empty()) unfinished.push_back(path);
        for (report::RunFiles& run : found) {
            if (known.insert(std::filesystem::canonical(run.run_json).string()).second)
                runs.push_back(std::move(run));
        }
    }
    constexpr const char* k_unfinished =
        "has no SAMPLE.run.json: the run has not ended, or is not one of gannet run";
    if (runs.empty()) data::throw_malformed(unfinished.front(), k_unfinished);
    const auto sites = sites_of(options.sites);
    const size_t given = runs.size() + unfinished.size();
    if (!sites.empty() && given > 1)
        throw data::Error(data::ErrorKind::usage,
                          "--sites shows the reads of one run: give one of the " + std::to_string(given));
    JobFiles files;
    for (const report::RunFiles& run : runs) add_inputs(run, files);
    files.reads(options.limits, "--limits").writes(options.output, "the output");
    const OutputLocks locks = files.writes(options.log.file, "--log").lock();
    open_log();
    for (const std::string& folder : unfinished)
        log_warning(folder + ": " + k_unfinished + "; it is left out");
    const report::Limits limits = read_limits(options.limits);
    std::vector<report::CohortSample> samples;
    for (const report::RunFiles& run : runs) {
        const report::SampleFigures figures = report::read_sample(run, read_text_file(run.run_json), sites);
        std::vector<report::Check> checks = report::checks_of(figures, limits);
        log_info(figures.run.sample + ": " + report::word(report::verdict_of(checks)));
        if (given == 1) {
            write_text_file(options.output, report::sample_page(figures, checks, program_name()));
            return;
        }
        samples.push_back(
            {figures.run.sample, std::move(checks), figures.run.reads, link_of(run, options.output)});
    }
    write_text_file(options.output, report::cohort_page(samples, unfinished, program_name()));
}

}  // namespace gannet::pipeline
