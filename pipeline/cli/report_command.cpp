// SPDX-License-Identifier: MIT
// Provides `gannet report`.
#include "data/error.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/html_report.hpp"

#include <iostream>
#include <memory>

namespace gannet::pipeline::cli {

void add_report_command(CLI::App& app, Action& action) {
    CLI::App* const command =
        app.add_subcommand("report", "Make the HTML report of a finished run, or one page of several runs.");
    const auto options = std::make_shared<ReportOptions>();
    command->add_option(
        "RUNS", options->runs,
        "folders of finished runs of gannet run (all samples in them), or single run.json files");
    command->add_option("-o,--output", options->output, "HTML file; - is standard output [required]")
        ->type_name("FILE");
    command
        ->add_option("--limits", options->limits,
                     "JSON of limits that are not the usual ones, such as {\"duplicates\": {\"pass_max\": "
                     "0.1}} [usual]")
        ->type_name("FILE");
    command
        ->add_option("--sites", options->sites,
                     "places whose reads are shown too, called or not: CHROM:POS, with commas [none]")
        ->type_name("LIST")
        ->delimiter(',');
    command->add_flag("--print-limits", options->prints_limits,
                      "print the usual limits as JSON, and do no more");
    add_log_options(*command, options->log);
    command->footer(
        "Examples:\n"
        "  gannet report out/ -o report.html\n"
        "  gannet report runs/*/ --limits strict.json -o cohort.html");
    command->callback([options, &action] {
        action = [options] {
            set_up(options->log);
            if (options->prints_limits) {
                if (!options->output.empty() || !options->log.file.empty())
                    throw data::Error(data::ErrorKind::usage,
                                      "--print-limits prints to standard output and writes no file: leave "
                                      "out -o and --log");
                std::cout << report::Limits().to_json();
                return 0;
            }
            if (options->runs.empty())
                throw data::Error(data::ErrorKind::usage, "RUNS is required: a folder of a finished run");
            if (options->output.empty())
                throw data::Error(data::ErrorKind::usage, "-o is required: the file to write");
            run_report(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
