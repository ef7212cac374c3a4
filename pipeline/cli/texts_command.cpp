// SPDX-License-Identifier: MIT
// Provides `gannet write-texts`, which the build runs: man pages, completions and the page of options.
#include "data/error.hpp"
#include "pipeline/build_info.hpp"
#include "pipeline/cli/command_description.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/completion.hpp"
#include "pipeline/cli/man_page.hpp"
#include "pipeline/cli/option_page.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/text_output.hpp"

#include <filesystem>
#include <memory>
#include <system_error>

namespace gannet::pipeline::cli {
namespace {

namespace fs = std::filesystem;

void write_text(const fs::path& path, const std::string& text) {
    std::error_code fault;
    fs::create_directories(path.parent_path(), fault);
    if (fault)
        throw data::Error(data::ErrorKind::output_failed,
                          path.parent_path().string() + ": " + fault.message());
    write_text_file(path.string(), text);
}

/// The folders are those of a prefix's share/.
void write_texts(const CLI::App& app, const fs::path& folder) {
    const CommandDescription program = describe(app);
    const std::string date = build_info().date;
    for (const CommandDescription* command : program.all()) {
        write_text(folder / "man/man1" / (command->full_name("-") + ".1"),
                   man_page(*command, program, program_name(), date));
    }
    write_text(folder / "bash-completion/completions/gannet", bash_completion(program));
    write_text(folder / "zsh/site-functions/_gannet", zsh_completion(program));
    write_text(folder / "fish/vendor_completions.d/gannet.fish", fish_completion(program));
    write_text(folder / "doc/gannet/options.md", option_page(program));
}

}  // namespace

void add_texts_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand(
        "write-texts",
        "Write man pages, completions for shells and the page of options (the build runs it).");
    command->group("");
    const auto folder = std::make_shared<std::string>();
    command->add_option("DIR", *folder, "folder as PREFIX/share")->required()->type_name("DIR");
    command->callback([&app, folder, &action] {
        action = [&app, folder] {
            write_texts(app, *folder);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
