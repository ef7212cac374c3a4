// SPDX-License-Identifier: MIT
// Provides `gannet index`.
#include "pipeline/cli/argument_checks.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/index_file.hpp"

#include <memory>

namespace gannet::pipeline::cli {

void add_index_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand(
        "index", "Build the index of a reference (run and align do so when it is missing).");
    const auto options = std::make_shared<IndexOptions>();
    add_reference_argument(*command, options->reference);
    command->add_option("-o,--output", options->output, "index file [REF.gannet, beside the reference]")
        ->type_name("FILE");
    command->add_flag("--check", options->check,
                      "verify an existing index and compare it with REF, instead of building one");
    add_resource_options(*command, options->resources);
    command->footer("Example:\n  gannet index GRCh38.fa");
    command->callback([options, &action] {
        action = [options] {
            set_up(options->resources);
            check_reference_argument(options->reference, "gannet index REF");
            run_index(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
