// SPDX-License-Identifier: MIT
// Provides to a job which contigs of the reference are ALT contigs and decoys, and on which variants are
// called.
#pragma once

#include "data/contig_classes.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"

#include <string>
#include <vector>

namespace gannet::pipeline {

class CommandText;

/// The classes of the contigs as --alt says: "none" means that there are no ALT contigs; a path is bwa's list
/// of ALT contigs; empty means REF.alt where that exists, else the names of the contigs. Logs what was found,
/// in one line, where not all contigs are primary. Throws what data::ContigClasses::by_file throws.
data::ContigClasses classify_contigs(const data::Reference& reference, const std::string& reference_path,
                                     const std::string& alt);

/// Adds the contigs that a SAM header marks as alternate loci (@SQ AH) to the classes.
void add_alternates_of_header(const std::vector<std::string>& names, const data::Reference& reference,
                              data::ContigClasses& classes);

/// The contigs of the primary assembly, completely. Empty (everything) where all are primary.
data::RegionSet primary_regions(const data::Reference& reference, const data::ContigClasses& classes);

/// "primary: 195 contigs; without 786 ALT contigs and 2385 decoys": for headers and the log.
std::string primary_text(const data::Reference& reference, const data::ContigClasses& classes);

/// Adds --interval-padding to a command, where it was given.
void describe_intervals(CommandText& command, int64_t padding_bp);
/// Adds --alt and --contigs to a command, where they were given.
void describe_contigs(CommandText& command, const std::string& alt, bool all_contigs);

}  // namespace gannet::pipeline
