// SPDX-License-Identifier: MIT
// Provides loading of a reference genome from FASTA (plain, gzip or bgzip), and making of its .fai
// and .gzi where they are missing.
#pragma once

#include "data/reference.hpp"

#include <memory>
#include <string>

namespace gannet::data::fasta {

/// Loads all sequences and their MD5. Lower case reads as upper; U as T; IUPAC codes are kept as runs.
/// Refuses (malformed_input): no sequence, duplicate names, names that SAM does not allow, a letter that is
/// not IUPAC, a title line over 1 MiB, a sequence longer than `max_contig_bp`. A sequence without bases is
/// read as length 0 with a warning to `warnings`. Cost: one pass over the file; 2 bits of memory per base.
std::shared_ptr<const Reference> load(const std::string& path, std::vector<std::string>* warnings = nullptr,
                                      uint64_t max_contig_bp = k_max_contig_bp);

/// Makes PATH.fai (and PATH.gzi for bgzip) where missing, as `samtools faidx` writes them; written beside and
/// renamed. In a folder that cannot be written nothing is made and false is returned. Plain gzip cannot be
/// indexed: Error(malformed_input) with advice.
bool ensure_faidx(const std::string& path);
/// The same where a .fai is needed: where it cannot be made, Error(malformed_input) with advice.
void require_faidx(const std::string& path);

}  // namespace gannet::data::fasta
