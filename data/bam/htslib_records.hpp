// SPDX-License-Identifier: MIT
// Provides the conversions between htslib's records and headers and ours; for .cpp files that include htslib.
#pragma once

#include "data/read_group.hpp"
#include "data/record.hpp"

#include <string>
#include <vector>

struct bam1_t;
struct sam_hdr_t;

namespace gannet::data::bam {

/// Fills `record` from BAM bytes, reusing its memory. Throws std::bad_alloc.
void to_htslib(RecordView view, bam1_t& record);
/// Puts the CIGAR of the tag CG into its place, for text: there it has no limit (SAM specification 4.2.2).
/// Throws std::bad_alloc.
void expand_long_cigar(bam1_t& record);
/// Appends the record's BAM bytes to `batch` with the contig numbers given. A CIGAR of more than 65,535
/// elements goes to the tag CG (SAM specification 4.2.2).
void append_from_htslib(const bam1_t& record, int32_t contig, int32_t mate_contig, uint64_t ordinal,
                        RecordBatch& batch);
/// The header's @RG lines, as they are: nothing is refused but a missing ID.
std::vector<ReadGroup> read_groups_of(sam_hdr_t* header, const std::string& file);

}  // namespace gannet::data::bam
