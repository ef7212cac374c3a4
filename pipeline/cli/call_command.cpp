// SPDX-License-Identifier: MIT
// Provides `gannet call`.
#include "pipeline/cli/argument_checks.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/call_job.hpp"

#include <memory>

namespace gannet::pipeline::cli {

void add_call_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand("call", "Call the variants of a sorted BAM or CRAM.");
    const auto options = std::make_shared<CallOptions>();
    add_alignments_options(*command, options->reference, options->alignments, options->sample,
                           options->index);
    command
        ->add_option("-o,--output", options->output,
                     ".vcf.gz or .bcf (with index) or .vcf file; - is VCF on standard output [-]")
        ->default_val("-")
        ->type_name("FILE");
    add_alternates_option(*command, options->alt);
    add_region_options(*command, options->regions, options->targets, options->all_contigs);
    add_regions_file_option(*command, options->regions_file);
    add_interval_padding_option(*command, options->interval_padding_bp);
    add_report_option(*command, options->report);
    add_alleles_option(*command, options->alleles, options->dbsnp);
    add_ploidy_options(*command, options->ploidy);
    add_sample_options(*command, options->sample_model);
    add_scorer_options(*command, options->scorer);
    add_gvcf_options(*command, options->gvcf, false);
    add_dry_run_option(*command, options->dry_run);
    add_strict_option(*command, options->strict);
    add_verify_index_option(*command, options->resources.verify_index);
    add_resource_options(*command, options->resources);
    command->footer(
        "Examples:\n"
        "  gannet call GRCh38.fa HG002.bam -o HG002.vcf.gz\n"
        "  gannet call GRCh38.fa HG002.bam -o part.vcf.gz --regions chr20:1-5000000 --targets exome.bed\n"
        "  gannet call GRCh38.fa HG002.bam -o HG002.vcf.gz --gvcf HG002.g.vcf.gz --gvcf-dialect gatk");
    command->callback([options, &action] {
        action = [options] {
            set_up(options->resources, options->dry_run);
            check_reference_argument(options->reference, "gannet call REF ALIGNMENTS -o OUT.vcf.gz");
            check_region_arguments(options->regions);
            check_ploidy_arguments(options->ploidy);
            check_variant_output(options->output);
            check_gvcf_output(options->gvcf);
            run_call(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
