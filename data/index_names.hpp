// SPDX-License-Identifier: MIT
// Provides the names that indexes of BAM, CRAM and VCF have beside their files.
#pragma once

#include <string>
#include <vector>

namespace gannet::data {

/// The indexes that a file may have, under samtools' names and Picard's (x.bam: x.bam.bai, x.bai, ...). Those
/// that do not belong to the file that takes the name go with the one before.
std::vector<std::string> index_names_of(const std::string& file);

/// The file of an index under samtools' name: "x.bam" of "x.bam.bai". Any other path as it is.
std::string without_index_ending(const std::string& path);

}  // namespace gannet::data
