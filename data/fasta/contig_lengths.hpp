// SPDX-License-Identifier: MIT
// Provides the names and lengths of a FASTA's contigs without its bases in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace gannet::data::fasta {

/// Calls `each(name, bases)` for every record of a FASTA, plain or compressed, until it returns false. Reads
/// the text once, a megabyte at a time, since a sequence may be one line; of the letters, blanks alone are
/// told apart. Throws Error as InputStream does.
void for_each_contig(const std::string& fasta,
                     const std::function<bool(const std::string& name, uint64_t bases)>& each);

}  // namespace gannet::data::fasta
