// SPDX-License-Identifier: MIT
// Provides checks of arguments that were given in the wrong order, to the wrong option, or that contradict
// each other.
#pragma once

#include "pipeline/jobs/options.hpp"

#include <string>
#include <vector>

namespace gannet::pipeline::cli {

/// Throws Error(usage) where `path` is reads, alignments or variants by content instead of a FASTA. `usage`:
/// the order of the arguments, for the message. A file that does not exist or cannot be read is left to the
/// job.
void check_reference_argument(const std::string& path, const std::string& usage);

/// Throws Error(usage) where a region is the name of a BED file.
void check_region_arguments(const std::vector<std::string>& regions);

/// Throws Error(usage) where the ending of the output names no format, contradicts --format, or where
/// compressed data would go to a terminal.
void check_alignment_output(const AlignOptions& options);

/// Throws Error(usage) unless `path` is "-", a device or a pipe, or ends in .vcf, .vcf.gz, .vcf.bgz or .bcf.
void check_variant_output(const std::string& path);

}  // namespace gannet::pipeline::cli
