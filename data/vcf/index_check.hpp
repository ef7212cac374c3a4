// SPDX-License-Identifier: MIT
// Provides the check that an index is of the file beside it.
#pragma once

#include <string>

struct hts_idx_t;  // of htslib
struct tbx_t;

namespace gannet::data::vcf {

/// An index that was made of another file, or of this one before it was written anew, leads to wrong places,
/// and records of a region are missed in silence. Of the file beside it the index ends where the records do,
/// and its first records are of the contig that it says. Both are looked at: two reads of a block. The times
/// of the files say less, since copying changes them. Throws Error(malformed_input).
void require_index_of(const std::string& path, tbx_t* index);  ///< VCF with .tbi or .csi
void require_index_of(const std::string& path, hts_idx_t* index,
                      int contigs);  ///< BCF, contigs of its header

}  // namespace gannet::data::vcf
