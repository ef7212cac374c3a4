// SPDX-License-Identifier: MIT
// Provides groups of options that several subcommands share, each explained with its unit and default.
#pragma once

#include "pipeline/jobs/options.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace gannet::pipeline::cli {

/// REF and reads, lanes, read group, sample.
void add_input_options(CLI::App& command, InputOptions& input);
/// Threads, memory, temporary folder, backend, trace.
void add_resource_options(CLI::App& command, ResourceOptions& resources);
void add_alignment_options(CLI::App& command, bool& mark_duplicates, int& level,
                           align::AlignerParameters& parameters);
void add_region_options(CLI::App& command, std::vector<std::string>& regions, std::string& targets);
/// --scorer, --no-scorer, --model, --settle.
void add_scorer_options(CLI::App& command, ScorerOptions& scorer);
/// --index FILE.
void add_index_option(CLI::App& command, std::string& index);
/// --verify-index auto|always|never.
void add_verify_index_option(CLI::App& command, VerifyIndex& verify);

/// Settles what depends on several options (the log first of all). Throws Error(usage).
void verify(const ResourceOptions& resources);

}  // namespace gannet::pipeline::cli
