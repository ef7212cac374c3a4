// SPDX-License-Identifier: MIT
// Provides `gannet align`: reads to sorted, duplicate-marked, indexed alignments, or to a stream in input
// order.
#pragma once

#include "data/bam/writer.hpp"
#include "pipeline/jobs/options.hpp"

#include <string>

namespace gannet::pipeline {

/// Throws Error; on return every output stands under its final name.
void run_align(const AlignOptions& options);

/// Format by name or by `given`; standard output is BAM when sorted and SAM when streamed, unless said
/// otherwise.
data::bam::RecordWriter::Format output_format(const std::string& path, const std::string& given, bool sorted);

/// What of the inputs and options a header records.
class CommandText;
void describe_inputs(CommandText& command, const InputOptions& input);

}  // namespace gannet::pipeline
