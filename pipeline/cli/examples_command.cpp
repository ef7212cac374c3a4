// SPDX-License-Identifier: MIT
// Provides `gannet examples`.
#include "pipeline/cli/argument_checks.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/examples_job.hpp"

#include <memory>

namespace gannet::pipeline::cli {

void add_examples_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand(
        "examples", "Write labelled examples of candidate variants, to train the scorer with.");
    const auto options = std::make_shared<ExamplesOptions>();
    add_alignments_options(*command, options->reference, options->alignments, options->sample,
                           options->index);
    command->add_option("-o,--output", options->output, "folder for the shards and examples.json")
        ->required()
        ->type_name("DIR");
    command->add_option("--truth", options->truth, "truth VCF or BCF to take the labels from [no labels]")
        ->group("Examples")
        ->type_name("VCF");
    command
        ->add_option("--shards", options->shards, "number of files that the examples are divided among [1]")
        ->group("Examples")
        ->check(between(1, 10000))
        ->type_name("N");
    command
        ->add_option("--minimum-presence", options->minimum_presence,
                     "candidates are alleles that have at least this log10 probability of at least one copy, "
                     "by the caller; the manifest of a model should name the same [-3.5]")
        ->group("Examples")
        ->check(between(-5, 0))
        ->type_name("LOG10");
    add_alternates_option(*command, options->alt);
    add_region_options(*command, options->regions, options->targets, options->all_contigs);
    add_verify_index_option(*command, options->resources.verify_index);
    add_resource_options(*command, options->resources);
    command->footer(
        "Example:\n"
        "  gannet examples GRCh38.fa HG002.bam --truth HG002.vcf.gz --targets HG002.bed -o examples --shards "
        "8");
    command->callback([options, &action] {
        action = [options] {
            set_up(options->resources);
            check_reference_argument(options->reference, "gannet examples REF ALIGNMENTS -o DIR");
            check_region_arguments(options->regions);
            run_examples(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
