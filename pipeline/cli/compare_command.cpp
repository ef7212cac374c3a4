// SPDX-License-Identifier: MIT
// Provides `gannet compare`.
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/log.hpp"
#include "variants/compare/compare.hpp"

#include <iostream>
#include <memory>

namespace gannet::pipeline::cli {
namespace {

JobFiles files_of(const variants::compare::Options& options, const LogOptions& log) {
    JobFiles files;
    files.writes(log.file, "--log");
    files.reads_reference(options.reference, "").reads(options.targets, "--targets");
    files.reads_with_indexes(options.truth, "the truth").reads_with_indexes(options.calls, "the calls");
    if (options.output.empty()) return files;
    const std::string last = options.output + "/compare.json";
    for (const char* name : {"tp.vcf.gz", "fp.vcf.gz", "fn.vcf.gz"})
        files.writes_before(last, options.output + "/" + name, "the output");
    return files.writes(last, "the output");
}

int compare(const variants::compare::Options& options, const LogOptions& log) {
    set_up(log);
    for (const std::string& path : {options.truth, options.calls, options.reference}) check_readable(path);
    if (!options.targets.empty()) check_readable(options.targets);
    const JobFiles files = files_of(options, log);
    files.check();
    if (!options.output.empty()) make_output_folder(options.output);
    const OutputLocks locks = files.lock();
    open_log();
    const variants::compare::Result result = variants::compare::run(options);
    if (result.repeated_records > 0) log_warning(variants::compare::repeated_text(result.repeated_records));
    for (const std::string& note : result.unchosen_samples) log_warning(note + " (--sample, --truth-sample)");
    for (const std::string& note : result.unknown_genotypes) log_warning(note);
    std::cout << variants::compare::to_table(result);
    if (!options.output.empty()) log_info("comparison: " + options.output);
    return 0;
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
    CLI::App* const command =
        app.add_subcommand("compare", "Compare calls with a truth set: precision, recall and F1.");
    const auto options = std::make_shared<variants::compare::Options>();
    const auto log = std::make_shared<LogOptions>();
    const auto all = std::make_shared<bool>(false);
    command->add_option("TRUTH", options->truth, "truth VCF or BCF")->required();
    command->add_option("CALLS", options->calls, "calls to be compared, VCF or BCF")->required();
    command->add_option("--reference", options->reference, "reference FASTA")->required()->type_name("FASTA");
    command->add_option("--targets", options->targets, "compare only in the intervals of this BED file [all]")
        ->type_name("BED");
    command->add_option("--sample", options->sample, "sample to compare, of CALLS [the first]")
        ->type_name("NAME");
    command->add_option("--truth-sample", options->truth_sample, "sample to compare, of TRUTH [the first]")
        ->type_name("NAME");
    command->add_flag("--all-filters", *all, "also count calls that are not PASS [PASS only]");
    command->add_option("--minimum-quality", options->minimum_quality, "minimum QUAL of a call, Phred [0]")
        ->check(between(0, 10000, "Phred"))
        ->type_name("Q");
    command
        ->add_option("-o,--output", options->output, "folder for tp, fp, fn.vcf.gz and compare.json [none]")
        ->type_name("DIR");
    add_log_options(*command, *log);
    command->footer(
        "Example:\n  gannet compare truth.vcf.gz calls.vcf.gz --reference ref.fa --targets confident.bed -o "
        "cmp");
    command->callback([options, log, all, &action] {
        options->pass_only = !*all;
        action = [options, log] { return compare(*options, *log); };
    });
}

}  // namespace gannet::pipeline::cli
