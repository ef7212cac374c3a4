// SPDX-License-Identifier: MIT
// Provides `gannet align`.
#include "data/error.hpp"
#include "pipeline/cli/argument_checks.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/align_job.hpp"

#include <memory>
#include <string>

namespace gannet::pipeline::cli {
namespace {

constexpr const char* k_usage = "gannet align REF R1.fq.gz [R2.fq.gz] -o OUT.bam";

void verify(const AlignOptions& options) {
    check_reference_argument(options.input.reference, k_usage);
    check_alignment_output(options.output, options.format, options.unsorted);
    if (!options.unsorted) return;
    const auto refuse = [](const char* option, bool given, const char* why) {
        if (given)
            throw data::Error(data::ErrorKind::usage, std::string(option) + " contradicts --unsorted: " +
                                                          why + " sorted output only");
    };
    constexpr const char* k_duplicates = "duplicates are marked in";
    const DuplicateOptions& duplicates = options.duplicates;
    refuse("--checkpoint", options.resources.checkpoint, "records are kept for");
    refuse("--targets", !options.targets.empty(), "the depth is checked in");
    refuse("--qc", !options.qc.empty(), "duplicates and depth are of");
    refuse("--umi", duplicates.by_umi, k_duplicates);
    refuse("--optical-distance",
           duplicates.optical_distance_pixels != align::duplicates::k_optical_distance_pixels, k_duplicates);
    refuse("--metrics", !options.metrics.empty(), k_duplicates);
}

}  // namespace

void add_align_command(CLI::App& app, Action& action) {
    CLI::App* const command =
        app.add_subcommand("align", "Align reads; write them sorted, with duplicates marked and an index.");
    const auto options = std::make_shared<AlignOptions>();
    add_input_options(*command, options->input);
    command->add_option("-o,--output", options->output, ".bam, .cram or .sam file; - is standard output [-]")
        ->default_val("-")
        ->type_name("FILE");
    command
        ->add_flag("--unsorted", options->unsorted,
                   "write in the order of the input, as bwa mem does; duplicates are not marked")
        ->group("Alignment");
    command
        ->add_option("--format", options->format,
                     "sam, bam or cram [from the ending of the output; standard output: bam, or sam with "
                     "--unsorted]")
        ->group("Alignment")
        ->check(CLI::IsMember({"sam", "bam", "cram"}))
        ->type_name("NAME");
    command
        ->add_option("--metrics", options->metrics,
                     "write duplicate metrics in the format of Picard MarkDuplicates [none]")
        ->group("Alignment")
        ->type_name("FILE");
    add_alignment_options(*command, options->duplicates, options->level, options->parameters);
    command
        ->add_option(
            "--targets", options->targets,
            "BED of the intervals that the library was made for: the check of the depth looks there; "
            "the alignments do not depend on it [none]")
        ->check(not_empty())
        ->group("Input")
        ->type_name("BED");
    command
        ->add_option("--qc", options->qc,
                     "write quality control as PREFIX.stats, .flagstat, .idxstats, .mosdepth.*, "
                     "Picard's .insert_size_metrics and others, and .R1_fastqc.zip, for MultiQC; with "
                     "--targets also of these [none]")
        ->check(not_empty())
        ->group("Alignment")
        ->type_name("PREFIX");
    add_report_option(*command, options->report);
    add_dry_run_option(*command, options->dry_run);
    add_strict_option(*command, options->strict);
    add_verify_index_option(*command, options->resources.verify_index);
    add_resource_options(*command, options->resources);
    add_checkpoint_options(*command, options->resources);
    command->footer(
        "Examples:\n"
        "  gannet align GRCh38.fa reads_1.fq.gz reads_2.fq.gz -o out.bam -t 16\n"
        "  gannet align GRCh38.fa reads_1.fq.gz reads_2.fq.gz --unsorted | samtools view -b > out.bam");
    command->callback([options, &action] {
        action = [options] {
            set_up(options->resources, options->dry_run);
            verify(*options);
            run_align(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
