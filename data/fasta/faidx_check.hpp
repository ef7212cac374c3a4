// SPDX-License-Identifier: MIT
// Provides the check of a FASTA's .fai and .gzi before htslib, which trusts them, uses them, and why it makes
// none.
#pragma once

#include <string>

namespace gannet::data::fasta {

/// Throws Error(malformed_input) unless PATH.fai, and PATH.gzi of a bgzipped FASTA, describe the file beside
/// them: the sequences must follow one another in the file as the .fai says, each under its name, and the
/// .gzi must list the blocks there are. An index file that is missing is no fault. Cost: a few reads per
/// sequence, and the headers of all BGZF blocks.
void check_faidx(const std::string& fasta_path);

/// Why htslib makes no .fai of this FASTA: lines of a sequence that differ in length, or a last sequence
/// without bases. For a message, with what to do; one pass over the text.
std::string cause_of_no_faidx(const std::string& fasta_path);

}  // namespace gannet::data::fasta
