// SPDX-License-Identifier: MIT
// Provides `gannet align`: reads to sorted, duplicate-marked, indexed alignments, or to a stream in input
// order.
#pragma once

#include "pipeline/jobs/options.hpp"

#include <string>

namespace gannet::pipeline {

/// Throws Error; on return every output is complete under its final name.
void run_align(const AlignOptions& options);

/// Adds the inputs and options that a header records.
class CommandText;
void describe_inputs(CommandText& command, const InputOptions& input);
/// --umi and --optical-distance, where they are not the usual ones.
void describe_duplicates(CommandText& command, const DuplicateOptions& duplicates);
void describe_alignment(CommandText& command, const align::AlignerParameters& parameters);

}  // namespace gannet::pipeline
