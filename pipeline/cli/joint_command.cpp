// SPDX-License-Identifier: MIT
// Provides `gannet joint`.
#include "data/error.hpp"
#include "pipeline/cli/argument_checks.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/joint_job.hpp"

#include <memory>

namespace gannet::pipeline::cli {

void add_joint_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand(
        "joint", "Genotype samples together: gVCFs of single samples to one VCF of the cohort.");
    const auto options = std::make_shared<JointOptions>();
    add_reference_argument(*command, options->reference);
    command->add_option("GVCF", options->inputs,
                        "gVCFs of one sample each, bgzipped VCF or BCF, by gannet call --gvcf or GATK");
    command
        ->add_option("--list", options->list,
                     "file with the path of a gVCF in each line; - is standard input [none]")
        ->type_name("FILE");
    command
        ->add_option("--pedigree", options->pedigree,
                     "families, in the six columns of a PED file: their genotypes are called together, with "
                     "new mutations, and those of children are phased [none]")
        ->type_name("PED");
    add_index_option(*command, options->index);
    command
        ->add_option("-o,--output", options->output,
                     "cohort VCF: .vcf.gz or .bcf, with an index, .vcf, or - for standard output")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--regions", options->regions,
                     "write only sites in these regions, for example chr20:1-5000000 (1-based, inclusive); "
                     "separate several by commas or repeat the option [all]")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("REGION");
    command
        ->add_option("--regions-file", options->regions_file,
                     "the same as a BED file, such as one of `gannet scatter`; adds to --regions")
        ->type_name("BED");
    command
        ->add_option("--minimum-quality", options->parameters.site_min_quality,
                     "leave out sites with a lower QUAL, Phred [" +
                         std::to_string(static_cast<int>(options->parameters.site_min_quality)) + "]")
        ->check(between(0, 10000, "Phred"))
        ->type_name("Q");
    command
        ->add_option("--max-alternates", options->parameters.max_alternates,
                     "alternate alleles of a site; those that fewest samples have become <*> [" +
                         std::to_string(options->parameters.max_alternates) + "]")
        ->check(whole_between(1, 32))
        ->type_name("N");
    add_threads_option(*command, options->threads);
    // These never affect a result: they are for tests.
    command->add_option("--window", options->window_bp)->group("")->check(between(1, 1 << 30));
    command->add_option("--max-open-files", options->max_open_files)->group("")->check(between(1, 1 << 20));
    add_log_options(*command, options->log);
    command->footer(
        "Example:\n"
        "  gannet joint GRCh38.fa HG002.g.vcf.gz HG003.g.vcf.gz HG004.g.vcf.gz --pedigree trio.ped -o "
        "trio.vcf.gz");
    command->callback([options, &action] {
        action = [options] {
            set_up(options->log);
            check_reference_argument(options->reference, "gannet joint REF GVCF... -o FILE");
            check_region_arguments(options->regions);
            check_variant_output(options->output);
            run_joint(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
