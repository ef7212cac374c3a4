// SPDX-License-Identifier: MIT
// Provides the subcommands to the application: each adds itself with its options and a callback that runs it.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace gannet::pipeline::cli {

/// What a subcommand leaves to be run once the whole line has been parsed.
using Action = std::function<int()>;

void add_run_command(CLI::App& app, Action& action);
void add_align_command(CLI::App& app, Action& action);
void add_sort_command(CLI::App& app, Action& action);
void add_markdup_command(CLI::App& app, Action& action);
void add_call_command(CLI::App& app, Action& action);
void add_joint_command(CLI::App& app, Action& action);
void add_index_command(CLI::App& app, Action& action);
void add_scatter_command(CLI::App& app, Action& action);
void add_simulate_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_examples_command(CLI::App& app, Action& action);
void add_evaluate_command(CLI::App& app, Action& action);
void add_bench_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_devices_command(CLI::App& app, Action& action);
void add_version_command(CLI::App& app, Action& action);
/// Not listed in help.
void add_texts_command(CLI::App& app, Action& action);

}  // namespace gannet::pipeline::cli
