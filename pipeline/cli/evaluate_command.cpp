// SPDX-License-Identifier: MIT
// Provides `gannet evaluate-model`.
#include "data/error.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/evaluate_job.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace gannet::pipeline::cli {
namespace {

[[noreturn]] void refuse_arguments(const std::string& cause) {
    throw data::Error(data::ErrorKind::usage, cause);
}

/// Either examples, or all of the VCFs.
void check(const EvaluateOptions& options) {
    const bool has_calls = !options.truth.empty() || !options.off.empty() || !options.on.empty() ||
                           !options.reference.empty() || !options.targets.empty();
    if (!options.examples.empty()) {
        if (has_calls)
            refuse_arguments("give either EXAMPLES, or --truth, --off, --on and --reference (and --targets)");
        return;
    }
    if (!has_calls)
        refuse_arguments("EXAMPLES: shards of gannet examples, or VCFs by --truth, --off, --on, --reference");
    if (options.truth.empty() || options.off.empty() || options.on.empty() || options.reference.empty())
        refuse_arguments("VCFs are evaluated with all of --truth, --off, --on and --reference");
    if (!options.model.empty() || options.everywhere)
        refuse_arguments("--model and --everywhere are for EXAMPLES");
}

}  // namespace

void add_evaluate_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand(
        "evaluate-model", "Count errors with and without the scorer, and check what QUAL states.");
    const auto options = std::make_shared<EvaluateOptions>();
    command->add_option("EXAMPLES", options->examples,
                        "labelled examples: folders of gannet examples, or single shards (.gnx)");
    command->add_option("-o,--output", options->output, "folder for evaluation.json and two pictures (SVG)")
        ->required()
        ->type_name("DIR");
    command
        ->add_option(
            "--model", options->model,
            "network to evaluate: .safetensors, with its .json manifest beside it [the one that comes "
            "with gannet]")
        ->group("Examples")
        ->type_name("FILE");
    command
        ->add_flag(
            "--everywhere", options->everywhere,
            "as if the network counted in every stratum, with temperature 1 and no prior [as the model "
            "says]")
        ->group("Examples");
    command
        ->add_option(
            "--table", options->table,
            "every example and what is decided of it, or every change of the calls and whether it is "
            "right, TSV [none]")
        ->type_name("FILE");
    command->add_option("--truth", options->truth, "truth VCF or BCF")->group("Calls")->type_name("VCF");
    command->add_option("--off", options->off, "calls without the scorer")->group("Calls")->type_name("VCF");
    command->add_option("--on", options->on, "calls with the scorer")->group("Calls")->type_name("VCF");
    command->add_option("--reference", options->reference, "reference FASTA")
        ->group("Calls")
        ->type_name("FASTA");
    command->add_option("--targets", options->targets, "compare only in the intervals of this BED file [all]")
        ->group("Calls")
        ->type_name("BED");
    add_resource_options(*command, options->resources);
    command->footer(
        "Examples:\n"
        "  gannet evaluate-model examples/held_out --model mine.safetensors -o evaluation\n"
        "  gannet evaluate-model --truth truth.vcf.gz --off off.vcf.gz --on on.vcf.gz --reference ref.fa "
        "--targets confident.bed -o evaluation");
    command->callback([options, &action] {
        action = [options] {
            set_up(options->resources);
            check(*options);
            std::cout << run_evaluate(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
