// SPDX-License-Identifier: MIT
// Provides a lane of reads from SAM, BAM or CRAM: unaligned, or aligned and grouped by name.
#pragma once

#include "data/fastq/reader.hpp"
#include "data/input_stream.hpp"

#include <memory>

namespace gannet::data::fastq {

/// `stream` has not been read from. Mates must be adjacent; secondary and supplementary records are skipped,
/// and reads that were aligned to the reverse strand are restored.
std::unique_ptr<LaneReader> open_alignment_lane(std::unique_ptr<InputStream> stream, uint32_t read_group,
                                                BatchPolicy policy);

}  // namespace gannet::data::fastq
