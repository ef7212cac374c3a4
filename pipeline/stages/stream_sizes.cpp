// SPDX-License-Identifier: MIT
// Provides the memory that the streams of a graph's slots take at the start.
#include "pipeline/stages/stream_sizes.hpp"

#include "kernels/cuda/memory_budget.hpp"
#include "kernels/deflate/deflate.hpp"
#include "kernels/find_candidates/find_candidates.hpp"
#include "pipeline/stages/emit_stage.hpp"

namespace gannet::pipeline::stages {
namespace {

using kernels::cuda::rounded_bytes;

constexpr uint64_t k_kb = 1024;

// Of find_candidates: what its layout gives for reads of 100 bp is 8 bytes per base, for 2x150 reads 6, and
// on a device 5 and 4 more for hits. Pairing takes 80 bytes for a candidate, and about as many for a read: 12
// bytes per base are 20 candidates of each read of 150 bp.
constexpr uint64_t k_chain_bytes_per_base = 12;
constexpr uint64_t k_device_chain_bytes_per_base = 14;
constexpr uint64_t k_usual_read_bp = 150;

}  // namespace

// Seen on simulated 2x150 reads with 400,000 bases a batch, also on genomes full of copies: 0.6 bytes of jobs
// and results per base at most, and 4 of scratch for all jobs at once; a warp alone had 0.8 MB. The scratch
// of a warp grows with reads and bands: that of 2x250 reads is twice as much.
kernels::StreamSize align_stream_size(uint64_t batch_bases, const kernels::OpTable& ops) {
    if (!ops.needs_resident)
        return {rounded_bytes(6 * batch_bases + 2048 * k_kb), rounded_bytes(batch_bases + 256 * k_kb)};
    return {rounded_bytes(least_align_stream_bytes(batch_bases) +
                          kernels::find_candidates_scratch_bytes(batch_bases / k_usual_read_bp)),
            rounded_bytes(k_chain_bytes_per_base * batch_bases + 512 * k_kb)};
}

uint64_t least_align_stream_bytes(uint64_t batch_bases) {
    return rounded_bytes(k_device_chain_bytes_per_base * batch_bases + 2560 * k_kb);
}

// Seen at 30x, without repeats of many candidates: 80 bytes of examples per read of a batch, and the weights.
// The rows that the network has read take another fifth on the device. A warp of pair_hmm has 384 bytes of
// scratch per base of the longest haplotype.
kernels::StreamSize call_stream_size(uint64_t batch_records) {
    return {rounded_bytes(1200 * batch_records + 2048 * k_kb),
            rounded_bytes(160 * batch_records + 256 * k_kb)};
}

kernels::StreamSize emit_stream_size() {
    const kernels::StreamSize pass = kernels::deflate_stream_size(k_pass_blocks);
    return {rounded_bytes(pass.device_bytes), rounded_bytes(pass.pinned_bytes)};
}

}  // namespace gannet::pipeline::stages
