// SPDX-License-Identifier: MIT
// Provides `gannet run`.
#include "pipeline/cli/argument_checks.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/run_job.hpp"

#include <memory>

namespace gannet::pipeline::cli {

void add_run_command(CLI::App& app, Action& action) {
    CLI::App* const command =
        app.add_subcommand("run", "Align reads and call variants: FASTQ to BAM, VCF and a report.");
    const auto options = std::make_shared<RunOptions>();
    add_input_options(*command, options->input);
    command
        ->add_option("-o,--output", options->output,
                     "folder for SAMPLE.bam, SAMPLE.vcf.gz, SAMPLE.duplicates.txt, SAMPLE.run.json, "
                     "quality control and SAMPLE.report.html; "
                     "created if missing")
        ->required()
        ->type_name("DIR");
    command
        ->add_option("--format", options->format,
                     "of the alignments: bam, or cram (CRAM 3.0, SAMPLE.cram) [bam]")
        ->group("Alignment")
        ->check(CLI::IsMember({"bam", "cram"}))
        ->type_name("NAME");
    add_alignment_options(*command, options->duplicates, options->level, options->align_parameters);
    command
        ->add_flag_callback(
            "--no-qc", [options] { options->qc = false; },
            "do not write quality control (SAMPLE.stats, .flagstat, .idxstats, .mosdepth.*, "
            "Picard's .insert_size_metrics and others, .R1_fastqc.zip, .R2_fastqc.zip, .bcftools_stats.txt, "
            ".scorer_views.json)")
        ->group("Alignment");
    command
        ->add_flag_callback(
            "--no-report", [options] { options->report = false; }, "do not write SAMPLE.report.html")
        ->group("Report");
    command
        ->add_option("--report-limits", options->report_limits,
                     "limits of the verdict in the report, JSON as of gannet report --limits [usual]")
        ->type_name("FILE")
        ->group("Report");
    add_region_options(*command, options->regions, options->targets, options->all_contigs);
    add_regions_file_option(*command, options->regions_file);
    add_interval_padding_option(*command, options->interval_padding_bp);
    add_alleles_option(*command, options->alleles, options->dbsnp);
    add_ploidy_options(*command, options->ploidy);
    add_sample_options(*command, options->sample_model);
    add_scorer_options(*command, options->scorer);
    add_gvcf_options(*command, options->gvcf, true);
    add_dry_run_option(*command, options->dry_run);
    add_strict_option(*command, options->strict);
    add_verify_index_option(*command, options->resources.verify_index);
    add_resource_options(*command, options->resources);
    add_checkpoint_options(*command, options->resources);
    command->footer(
        "Examples:\n"
        "  gannet run GRCh38.fa HG002_1.fq.gz HG002_2.fq.gz -o HG002 --sample HG002\n"
        "  gannet run GRCh38.fa --lane L1_1.fq.gz,L1_2.fq.gz,L1 --lane L2_1.fq.gz,L2_2.fq.gz,L2 -o out "
        "--sample S");
    command->callback([options, &action] {
        action = [options] {
            set_up(options->resources, options->dry_run);
            check_gvcf_output(options->gvcf);  // first: it may have taken the reference for its FILE
            check_reference_argument(options->input.reference,
                                     "gannet run REF R1.fq.gz [R2.fq.gz] -o DIR --sample NAME");
            check_region_arguments(options->regions);
            check_ploidy_arguments(options->ploidy);
            // All reads of an amplicon begin at its primers.
            if (!options->sample_model.primers.empty() && !options->duplicates.by_umi)
                options->duplicates.mark = false;
            run_run(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
