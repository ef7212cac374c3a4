// SPDX-License-Identifier: MIT
// Provides what every file of SAM, BAM or CRAM that htslib reads needs: a check that it is complete, and
// reference sequences that never come from the network.
#pragma once

#include <cstdint>
#include <string>

struct hFILE;
struct htsFile;
struct sam_hdr_t;

namespace gannet::data::bam {

/// Keeps htslib from fetching reference sequences of CRAM over the network: of the user's REF_PATH only local
/// folders are left, and without a REF_PATH nothing is searched but REF_CACHE. Once per process; call it
/// before a CRAM file is opened.
void use_local_references_only();

/// Takes the paths of reference files (@SQ UR) out of htslib's own header of a CRAM, not out of the one of
/// read_header(): else htslib would read files of which no option says anything, and which an output may take
/// the place of. Before the first record is read.
void forget_reference_files(htsFile& file);

/// The longest header, as text, that is read.
inline constexpr uint64_t k_max_header_bytes = uint64_t{64} << 20;

/// Opens a file of SAM, BAM or CRAM, and takes `raw` over; null where it is none of these. Throws
/// Error(malformed_input) where the header of a CRAM, or of a regular file of SAM or BAM, is too long, and
/// Error(host_memory) where it has more contigs than --memory holds; of other files read_header() says so.
htsFile* open_with_small_header(hFILE* raw, const std::string& name);

/// Throws Error(malformed_input), which says what the file is, where that is not SAM, BAM or CRAM.
void require_alignments(const htsFile& file, const std::string& name);

/// The header, before anything else is read; of a long one of BAM only @HD, @SQ and @RG. Throws
/// Error(malformed_input).
sam_hdr_t* read_header(htsFile& file, const std::string& name);

/// Throws Error(malformed_input) when the end-of-file marker (BGZF's empty block, CRAM's last container) is
/// missing from a file that htslib can seek in. False for a pipe, which cannot be looked at ahead; plain SAM
/// has no marker.
bool require_end_marker(htsFile& file, const std::string& name);

/// The same for a pipe, once all of it has been read in sequence: the marker must have been the last thing in
/// it.
void require_end_marker_was_read(htsFile& file, const std::string& name);

}  // namespace gannet::data::bam
