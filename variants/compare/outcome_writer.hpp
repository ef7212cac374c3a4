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
/// the record's own alleles and genotype, and in INFO the normalised changes meant. Written beside and
/// renamed. Throws Error(output_failed).
void write_outcome(const std::string& path, const data::Reference& reference, const CallSet& set,
                   Outcome outcome);

/// Writes a whole text file: beside and renamed. Throws Error(output_failed).
void write_file(const std::string& path, const std::string& bytes);

}  // namespace gannet::variants::compare
