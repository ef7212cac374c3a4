// SPDX-License-Identifier: MIT
// Provides the memory that the streams of a graph's slots take at the start.
#include "pipeline/stages/stream_sizes.hpp"

#include "kernels/cuda/memory_budget.hpp"

namespace gannet::pipeline::stages {
namespace {

using kernels::cuda::rounded_bytes;

constexpr uint64_t k_kb = 1024;

}  // namespace

// Seen on simulated 2x150 reads with 400,000 bases a batch, also on genomes full of copies: 0.6 bytes of jobs
// and results per base at most, and 4 of scratch for all jobs at once; a warp alone had 0.8 MB. The scratch
// of a warp grows with reads and bands: that of 2x250 reads is twice as much.
kernels::StreamSize align_stream_size(uint64_t batch_bases) {
    return {rounded_bytes(6 * batch_bases + 2048 * k_kb), rounded_bytes(batch_bases + 256 * k_kb)};
}

// Seen at 30x, without repeats of many candidates: 80 bytes of examples per read of a batch, and the weights.
// The rows that the network has read take another fifth on the device.
kernels::StreamSize call_stream_size(uint64_t batch_records) {
    return {rounded_bytes(200 * batch_records + 256 * k_kb), rounded_bytes(160 * batch_records + 256 * k_kb)};
}
}  // namespace gannet::pipeline::stages
