// SPDX-License-Identifier: MIT
// Provides `gannet index`.
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/index_file.hpp"

#include <memory>

namespace gannet::pipeline::cli {

void add_index_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand("index", "index of a reference, made once");
    const auto options = std::make_shared<IndexOptions>();
    command->add_option("REF", options->reference, "reference FASTA, plain or bgzip")->required();
    command->add_option("-o,--output", options->output, "index file [REF.gannet, beside the reference]")
        ->type_name("FILE");
    command->add_flag("--check", options->check,
                      "verify an existing index and compare it with REF, instead of building one");
    add_resource_options(*command, options->resources);
    command->footer("Example:\n  gannet index GRCh38.fa");
    command->callback([options, &action] {
        action = [options] {
            verify(options->resources);
            run_index(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
