// SPDX-License-Identifier: MIT
// Provides `gannet compare`.
#include "pipeline/cli/commands.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/progress.hpp"
#include "variants/compare/compare.hpp"

#include <iostream>
#include <memory>

namespace gannet::pipeline::cli {
namespace {

int compare(const variants::compare::Options& options, bool quiet) {
    set_up_log(quiet);
    for (const std::string& path : {options.truth, options.calls, options.reference}) check_readable(path);
    if (!options.targets.empty()) check_readable(options.targets);
    if (!options.output.empty()) make_output_folder(options.output);
    const variants::compare::Result result = variants::compare::run(options);
    std::cout << variants::compare::to_table(result);
    if (!options.output.empty()) log_info("comparison: " + options.output);
    return 0;
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
    CLI::App* const command =
        app.add_subcommand("compare", "precision, recall and F1 of calls against a truth set");
    const auto options = std::make_shared<variants::compare::Options>();
    const auto quiet = std::make_shared<bool>(false);
    const auto all = std::make_shared<bool>(false);
    command->add_option("TRUTH", options->truth, "truth VCF or BCF")->required();
    command->add_option("CALLS", options->calls, "calls to judge, VCF or BCF")->required();
    command->add_option("--reference", options->reference, "reference FASTA")->required()->type_name("FASTA");
    command->add_option("--targets", options->targets, "judge inside these intervals only [everywhere]")
        ->type_name("BED");
    command->add_option("--sample", options->sample, "sample of the calls [the first]")->type_name("NAME");
    command->add_flag("--all-filters", *all, "count calls that a filter marks too [PASS only]");
    command->add_option("--minimum-quality", options->minimum_quality, "least QUAL of a call, Phred [0]")
        ->type_name("Q");
    command
        ->add_option("-o,--output", options->output, "folder for tp, fp, fn.vcf.gz and compare.json [none]")
        ->type_name("DIR");
    command->add_flag("-q,--quiet", *quiet, "only warnings and errors on stderr");
    command->footer(
        "Example:\n  gannet compare truth.vcf.gz calls.vcf.gz --reference ref.fa --targets confident.bed -o "
        "cmp");
    command->callback([options, quiet, all, &action] {
        options->pass_only = !*all;
        action = [options, quiet] { return compare(*options, *quiet); };
    });
}

}  // namespace gannet::pipeline::cli
