// SPDX-License-Identifier: MIT
// Provides `gannet sort` and `gannet markdup`.
#include "data/error.hpp"
#include "pipeline/cli/argument_checks.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/sort_job.hpp"

#include <memory>
#include <string>

namespace gannet::pipeline::cli {
namespace {

CLI::App* add_command(CLI::App& app, const char* name, const char* text,
                      const std::shared_ptr<SortOptions>& options, Action& action) {
    CLI::App* const command = app.add_subcommand(name, text);
    command
        ->add_option("ALIGNMENTS", options->alignments,
                     "SAM, BAM or CRAM file in any order; - is standard input")
        ->check(not_empty())
        ->required();
    command->add_option("-o,--output", options->output, ".bam, .cram or .sam file; - is standard output [-]")
        ->default_val("-")
        ->type_name("FILE");
    command
        ->add_option("--format", options->format,
                     "sam, bam or cram [from the ending of the output; standard output: bam]")
        ->check(CLI::IsMember({"sam", "bam", "cram"}))
        ->type_name("NAME");
    command->add_option("--reference", options->reference, "FASTA of the reference, for CRAM alone [none]")
        ->check(not_empty())
        ->type_name("FASTA");
    command
        ->add_option("--level", options->level,
                     "compression level of BAM, 0-12; a device compresses at level 1 only [" +
                         std::to_string(options->level) + "]")
        ->check(whole_between(0, 12))
        ->type_name("N");
    add_resource_options(*command, options->resources);
    command->callback([options, &action] {
        action = [options] {
            set_up(options->resources);
            check_alignment_output(options->output, options->format, false);
            run_sort(*options);
            return 0;
        };
    });
    return command;
}

}  // namespace

void add_sort_command(CLI::App& app, Action& action) {
    const auto options = std::make_shared<SortOptions>();
    add_command(app, "sort", "Sort alignments by coordinate; write them with an index.", options, action)
        ->footer("Example:\n  gannet sort aligned.sam -o sorted.bam -t 8 --memory 16G");
}

void add_markdup_command(CLI::App& app, Action& action) {
    const auto options = std::make_shared<SortOptions>();
    options->duplicates.mark = true;
    CLI::App* const command = add_command(
        app, "markdup",
        "Mark duplicates of alignments in any order, as align does; write them sorted, with an index.",
        options, action);
    command
        ->add_option("--metrics", options->metrics,
                     "write duplicate metrics in the format of Picard MarkDuplicates [none]")
        ->check(not_empty())
        ->type_name("FILE");
    add_duplicate_options(*command, options->duplicates);
    command->footer("Example:\n  gannet markdup aligned.bam -o marked.bam --metrics duplicates.txt");
}

}  // namespace gannet::pipeline::cli
