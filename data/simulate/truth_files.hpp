// SPDX-License-Identifier: MIT
// Provides the writing of a simulation's files but for the reads.
#pragma once

#include "data/simulate/hidden_copies.hpp"
#include "data/simulate/sample.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gannet::data::simulate {

/// Each replaces the file when it is complete; throws Error(output_failed).
void write_file(const std::string& path, std::string_view text);
void write_fasta(const Genome& genome, const std::string& path);  ///< with its .fai
/// BGZF with its .tbi, or .csi where a contig passes 2^29 bp. `reference`: name of the user's FASTA; empty
/// where the genome is in the simulation's own.
void write_truth(const Genome& genome, const Truth& truth, const std::string& reference,
                 const std::string& path);
/// What such a file says of the genome.
struct TruthGenome {
    std::string reference;
    std::vector<std::pair<std::string, uint64_t>> contigs;  ///< with their lengths
};
/// Nothing where the file is no simulated truth.
std::optional<TruthGenome> genome_of_truth(const std::string& path);
/// Whether a FASTQ begins with a simulated read, or has none.
bool has_simulated_reads(const std::string& path);
/// BED with the stratum as its fourth column, by contig, ascending; runs may overlap.
void write_strata(const Genome& genome, const std::string& path);
/// Known sequence, except 500 bp beside unknown sequence and ends of contigs.
void write_confident(const Genome& genome, const std::string& path);
/// BED: what was taken out, and where its paralogue is.
void write_missing(const Genome& genome, const std::vector<Paralogue>& missing, const std::string& path);

}  // namespace gannet::data::simulate
