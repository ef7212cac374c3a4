// SPDX-License-Identifier: MIT
// Provides `gannet scatter`.
#include "data/error.hpp"
#include "pipeline/cli/argument_checks.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/scatter_job.hpp"

#include <memory>

namespace gannet::pipeline::cli {

void add_scatter_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand(
        "scatter",
        "Divide what call would call into shards of equal size, for calling on several machines (as GATK's "
        "SplitIntervals).");
    const auto options = std::make_shared<ScatterOptions>();
    add_reference_argument(*command, options->reference);
    add_index_option(*command, options->index);
    add_alternates_option(*command, options->alt);
    CLI::Option* const count =
        command
            ->add_option("--count", options->count, "number of shards; fewer where there is less to divide")
            ->check(whole_between(1, 99999))
            ->type_name("N");
    command->add_option("--size", options->size_mb, "instead of --count: known bases of a shard, in Mb")
        ->check(between(0.001, 100000, "Mb"))
        ->excludes(count)
        ->type_name("MB");
    command
        ->add_option("-o,--output", options->output,
                     "folder for a BED file per shard, for call --regions-file [standard output: a line per "
                     "shard, for call --regions]")
        ->check(not_empty())
        ->type_name("DIR");
    add_region_options(*command, options->regions, options->targets, options->all_contigs);
    add_regions_file_option(*command, options->regions_file);
    add_interval_padding_option(*command, options->interval_padding_bp);
    add_log_options(*command, options->log);
    command->footer(
        "Example:\n"
        "  gannet scatter GRCh38.fa --count 24 -o shards\n"
        "  for bed in shards/*.bed; do\n"
        "    gannet call GRCh38.fa HG002.bam --regions-file $bed -o $(basename $bed .bed).vcf.gz\n"
        "  done\n"
        "  bcftools concat -Oz -o HG002.vcf.gz *-of-*.vcf.gz");
    command->callback([options, &action] {
        action = [options] {
            set_up(options->log);
            check_reference_argument(options->reference, "gannet scatter REF --count N -o DIR");
            check_region_arguments(options->regions);
            if (options->count == 0 && options->size_mb == 0)
                throw data::Error(data::ErrorKind::usage, "give --count N, or --size MB");
            run_scatter(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
