// SPDX-License-Identifier: MIT
// Provides the writing of a simulation's files but for the reads.
#pragma once

#include "data/simulate/hidden_copies.hpp"
#include "data/simulate/sample.hpp"

#include <string>
#include <string_view>

namespace gannet::data::simulate {

/// Each replaces the file when it is complete; throws Error(output_failed).
void write_file(const std::string& path, std::string_view text);
void write_fasta(const Genome& genome, const std::string& path);  ///< with its .fai
/// BGZF with its .tbi, or .csi where a contig passes 2^29 bp.
void write_truth(const Genome& genome, const Truth& truth, const std::string& path);
/// Whether that is such a file.
bool is_simulated_truth(const std::string& path);
/// BED with the stratum as its fourth column, by contig, ascending; runs may overlap.
void write_strata(const Genome& genome, const std::string& path);
/// Known sequence, except 500 bp beside unknown sequence and ends of contigs.
void write_confident(const Genome& genome, const std::string& path);
/// BED: what was taken out, and where its paralogue is.
void write_missing(const Genome& genome, const std::vector<Paralogue>& missing, const std::string& path);

}  // namespace gannet::data::simulate
