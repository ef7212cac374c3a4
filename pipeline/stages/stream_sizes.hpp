// SPDX-License-Identifier: MIT
// Provides the memory that the streams of a graph's slots take at the start: what its batches usually need,
// so that nothing is allocated while it runs.
#pragma once

#include "kernels/stream.hpp"

#include <cstdint>

namespace gannet::pipeline::stages {

/// Of the align graph, whose batches have `batch_bases` bases of reads: banded_sw.
kernels::StreamSize align_stream_size(uint64_t batch_bases);
/// Of the call graph, whose batches of windows have `batch_records` reads: pileup_network.
kernels::StreamSize call_stream_size(uint64_t batch_records);

}  // namespace gannet::pipeline::stages
