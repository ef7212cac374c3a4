// SPDX-License-Identifier: MIT
// Provides the lanes, read groups and sample of a run from what the user gave, with contradictions refused.
#pragma once

#include "data/fastq/reader.hpp"
#include "data/read_group.hpp"
#include "pipeline/jobs/options.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline {

struct Inputs {
    std::vector<data::fastq::Lane> lanes;
    std::vector<data::ReadGroup> read_groups;
    std::string sample;
    std::vector<std::string> files() const;  ///< all paths, in order
    uint64_t total_bytes() const;            ///< of the files that have a size
    uint64_t stored_bytes() const;           ///< of all files; 0 where one has no size
};

/// Looks at the beginning of single files only, for the read groups of unaligned BAM and CRAM; of those a
/// pipe stays open in its lane. Throws Error(usage) on contradictions, a file given twice by whatever path
/// included, and Error(malformed_input) where a file cannot be read.
Inputs resolve_inputs(const InputOptions& options);

/// Error(usage) unless the name can go into SAM and VCF headers and into file names: printable ASCII, no
/// slash.
void check_sample_name(const std::string& sample);

/// The sample where nothing names one: of the file's name, or "sample" for pipes. Logged.
std::string default_sample(const std::string& path);

/// "x/NA12878_S1_L001_R1_001.fastq.gz" -> "NA12878_S1".
std::string sample_of_file(std::string_view path);

}  // namespace gannet::pipeline
