// SPDX-License-Identifier: MIT
// Provides what every file of SAM, BAM or CRAM that htslib reads needs: a check that it is complete, and
// reference sequences that never come from the network.
#pragma once

#include <string>

struct htsFile;

namespace gannet::data::bam {

/// Keeps htslib from fetching reference sequences of CRAM over the network: of the user's REF_PATH only local
/// folders are left, and without a REF_PATH nothing is searched but REF_CACHE. Once per process; call it
/// before a CRAM file is opened.
void use_local_references_only();

/// Throws Error(malformed_input) when the end-of-file marker (BGZF's empty block, CRAM's last container) is
/// missing from a file that htslib can seek in. False for a pipe, which cannot be looked at ahead; plain SAM
/// has no marker.
bool require_end_marker(htsFile& file, const std::string& name);

/// The same for a pipe, once all of it has been read in sequence: the marker must have been the last thing in
/// it.
void require_end_marker_was_read(htsFile& file, const std::string& name);

}  // namespace gannet::data::bam
