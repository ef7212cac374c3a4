// SPDX-License-Identifier: MIT
// Provides the VCF files of a comparison: which calls were right, which were wrong, which variants were
// missed.
#pragma once

#include "data/reference.hpp"
#include "variants/compare/atoms.hpp"

#include <string>

namespace gannet::variants::compare {

/// Which atoms a file lists.
enum class Outcome { right, wrong };

/// Writes `path` (bgzip): one line for each record that has atoms inside the targets with this outcome, with
/// the record's own alleles and genotype, and in INFO the normalised changes meant. Appears complete or not
/// at all. Throws Error(output_failed) or Error(disk_space).
void write_outcome(const std::string& path, const data::Reference& reference, const CallSet& set,
                   Outcome outcome);

/// Writes a text file, which appears complete or not at all. Throws as write_outcome.
void write_file(const std::string& path, const std::string& bytes);

}  // namespace gannet::variants::compare
