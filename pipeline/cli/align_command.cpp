// SPDX-License-Identifier: MIT
// Provides `gannet align`.
#include "data/error.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/align_job.hpp"

#include <memory>

namespace gannet::pipeline::cli {
namespace {

void verify(const AlignOptions& options) {
    cli::verify(options.resources);
    if (!options.unsorted) return;
    if (!options.metrics.empty()) {
        throw data::Error(data::ErrorKind::usage,
                          "--metrics needs sorted output: duplicates are not marked in a stream");
    }
}

}  // namespace

void add_align_command(CLI::App& app, Action& action) {
    CLI::App* const command =
        app.add_subcommand("align", "reads to sorted, duplicate-marked, indexed alignments");
    const auto options = std::make_shared<AlignOptions>();
    add_input_options(*command, options->input);
    command->add_option("-o,--output", options->output, ".bam, .sam or .cram file, - is standard output [-]")
        ->default_val("-")
        ->type_name("FILE");
    command
        ->add_flag("--unsorted", options->unsorted,
                   "stream in the input's order, duplicates unmarked, as bwa does")
        ->group("Alignment");
    command
        ->add_option("--format", options->format,
                     "sam, bam or cram [by the name; - is bam, or sam with --unsorted]")
        ->group("Alignment")
        ->check(CLI::IsMember({"sam", "bam", "cram"}))
        ->type_name("NAME");
    command->add_option("--metrics", options->metrics, "duplicate metrics in Picard's text [none]")
        ->group("Alignment")
        ->type_name("FILE");
    add_alignment_options(*command, options->mark_duplicates, options->level, options->parameters);
    add_verify_index_option(*command, options->resources.verify_index);
    add_resource_options(*command, options->resources);
    command->footer(
        "Examples:\n"
        "  gannet align GRCh38.fa reads_1.fq.gz reads_2.fq.gz -o out.bam -t 16\n"
        "  gannet align GRCh38.fa reads_1.fq.gz reads_2.fq.gz --unsorted | samtools view -b > out.bam");
    command->callback([options, &action] {
        action = [options] {
            verify(*options);
            run_align(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
