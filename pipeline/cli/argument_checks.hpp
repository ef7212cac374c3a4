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

/// Throws Error(usage) where a region is a file, which would be looked up as a contig: a name that ends in
/// .bed or .bed.gz, or one with a slash or a dot that is a file.
void check_region_arguments(const std::vector<std::string>& regions);

/// Throws Error(usage) where --sex, --par and --ploidy contradict each other, and what check_readable throws.
void check_ploidy_arguments(const PloidyOptions& ploidy);

/// Throws Error(usage) where the ending of the output names no format, contradicts --format, or where
/// compressed data would go to a terminal. `text_by_default`: a stream is SAM unless `format` says else.
void check_alignment_output(const std::string& path, const std::string& format, bool text_by_default);

/// Throws Error(usage) unless `path` is "-", a device or a pipe, or ends in .vcf, .vcf.gz, .vcf.bgz or .bcf.
void check_variant_output(const std::string& path);
/// The same of --gvcf, if it is given.
void check_gvcf_output(const GvcfOptions& gvcf);

}  // namespace gannet::pipeline::cli
