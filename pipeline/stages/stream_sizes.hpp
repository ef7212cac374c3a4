// SPDX-License-Identifier: MIT
// Provides the memory that the streams of a graph's slots take at the start: what its batches usually need,
// so that nothing is allocated while it runs.
#pragma once

#include "kernels/op_table.hpp"
#include "kernels/stream.hpp"

#include <cstddef>
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
/// Of reading, which inflates batches of so many pieces of a file: inflate. More is never needed.
kernels::StreamSize inflate_stream_size(size_t batch_pieces);
/// Pieces of a batch: about as much text as the bases of `batch_bases` have, so that a batch of reads of a
/// device asks for few batches of inflating.
size_t inflate_batch_pieces(uint64_t batch_bases);
/// Batches that are inflated at once, of all files of a run, dealt out to its devices: three of each of two
/// files, which read so far ahead. A batch takes the device 5 to 6 ms. On an H200 runs with 4, 6 and 9 of
/// them took the same time, but then streams still waited for one another (device_set.cpp).
inline constexpr size_t k_inflate_streams = 6;
/// Of each of so many devices, for these streams.
uint64_t inflate_device_bytes(size_t batch_pieces, size_t devices);
/// Whether they may have `wanted` bytes of the `left` that the streams of the aligner leave: these come first
/// where memory is short, and may have to grow.
constexpr bool leaves_room_to_inflate(uint64_t left, uint64_t wanted) { return wanted <= left / 16; }
/// Of the emit graph, which compresses k_pass_blocks blocks at a time: deflate. More is never needed.
kernels::StreamSize emit_stream_size();

}  // namespace gannet::pipeline::stages
