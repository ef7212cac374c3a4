// SPDX-License-Identifier: MIT
// Provides `gannet examples`.
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/examples_job.hpp"

#include <memory>

namespace gannet::pipeline::cli {

void add_examples_command(CLI::App& app, Action& action) {
    CLI::App* const command =
        app.add_subcommand("examples", "examples of candidate variants, labelled, to train the scorer with");
    const auto options = std::make_shared<ExamplesOptions>();
    command->add_option("REF", options->reference, "reference FASTA, plain or bgzip")->required();
    command->add_option("ALIGNMENTS", options->alignments, "coordinate-sorted BAM or CRAM, indexed")
        ->required();
    command->add_option("-o,--output", options->output, "folder for the shards and examples.json")
        ->required()
        ->type_name("DIR");
    command->add_option("--truth", options->truth, "truth VCF or BCF that labels them [labels are unknown]")
        ->group("Examples")
        ->type_name("VCF");
    command->add_option("--shards", options->shards, "files to deal them out to [1]")
        ->group("Examples")
        ->check(CLI::Range(1, 10000))
        ->type_name("N");
    command->add_option("--sample", options->sample, "sample name [of the read groups]")
        ->group("Examples")
        ->type_name("NAME");
    add_region_options(*command, options->regions, options->targets);
    add_index_option(*command, options->index);
    add_verify_index_option(*command, options->resources.verify_index);
    add_resource_options(*command, options->resources);
    command->footer(
        "Example:\n"
        "  gannet examples GRCh38.fa HG002.bam --truth HG002.vcf.gz --targets HG002.bed -o examples --shards "
        "8");
    command->callback([options, &action] {
        action = [options] {
            verify(options->resources);
            run_examples(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
