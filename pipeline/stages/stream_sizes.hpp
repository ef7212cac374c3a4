// SPDX-License-Identifier: MIT
// Provides the memory that the streams of a graph's slots take at the start: what its batches usually need,
// so that nothing is allocated while it runs.
#pragma once

#include "kernels/op_table.hpp"
#include "kernels/stream.hpp"

#include <cstdint>

namespace gannet::pipeline::stages {

/// Of the align graph, whose batches have `batch_bases` bases of reads: banded_sw, and where they are those
/// of the device (OpTable::needs_resident) the other ops of the aligner too.
kernels::StreamSize align_stream_size(uint64_t batch_bases, const kernels::OpTable& ops);
/// Of the device, with all ops: with less of it than align_stream_size(), the warps of a batch take
/// turns.
uint64_t least_align_stream_bytes(uint64_t batch_bases);
/// Of the call graph, whose batches of windows have `batch_records` reads: pair_hmm and pileup_network.
kernels::StreamSize call_stream_size(uint64_t batch_records);
/// Of the emit graph, which compresses k_pass_blocks blocks at a time: deflate. More is never needed.
kernels::StreamSize emit_stream_size();

}  // namespace gannet::pipeline::stages
