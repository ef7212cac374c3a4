// SPDX-License-Identifier: MIT
// Provides `gannet call`.
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/call_job.hpp"

#include <memory>

namespace gannet::pipeline::cli {

void add_call_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand("call", "variants of sorted alignments");
    const auto options = std::make_shared<CallOptions>();
    command->add_option("REF", options->reference, "reference FASTA, plain or bgzip")->required();
    command->add_option("ALIGNMENTS", options->alignments, "coordinate-sorted BAM or CRAM, indexed")
        ->required();
    command
        ->add_option("-o,--output", options->output,
                     ".vcf.gz (indexed), .bcf or .vcf file, - is standard output [-]")
        ->default_val("-")
        ->type_name("FILE");
    command->add_option("--sample", options->sample, "sample name in the VCF [of the read groups]")
        ->group("Calling")
        ->type_name("NAME");
    add_region_options(*command, options->regions, options->targets);
    add_scorer_options(*command, options->scorer);
    add_index_option(*command, options->index);
    add_verify_index_option(*command, options->resources.verify_index);
    add_resource_options(*command, options->resources);
    command->footer(
        "Examples:\n"
        "  gannet call GRCh38.fa HG002.bam -o HG002.vcf.gz\n"
        "  gannet call GRCh38.fa HG002.bam -o part.vcf.gz --regions chr20:1-5000000 --targets exome.bed");
    command->callback([options, &action] {
        action = [options] {
            verify(options->resources);
            run_call(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
