// SPDX-License-Identifier: MIT
// Provides `gannet devices` and `gannet version`.
#include "kernels/backend.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/session.hpp"

#include <iostream>

namespace gannet::pipeline::cli {
namespace {

int devices() {
    for (const kernels::BackendStatus& status : kernels::backend_status()) {
        std::string name(kernels::name(status.backend));
        name.resize(12, ' ');
        std::cout << name << (status.available ? "available    " : "unavailable  ") << status.detail << "\n";
    }
    std::cout << "auto        " << choose_ops("auto").choice << "\n";
    return 0;
}

}  // namespace

void add_devices_command(CLI::App& app, Action& action) {
    CLI::App* const command =
        app.add_subcommand("devices", "backends of this machine, and why one is missing");
    command->callback([&action] { action = devices; });
}

void add_version_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand("version", "the version");
    command->callback([&action] {
        action = [] {
            std::cout << program_name() << "\n";
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
