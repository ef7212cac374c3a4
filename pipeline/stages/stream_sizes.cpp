// SPDX-License-Identifier: MIT
// Provides the memory that the streams of a graph's slots take at the start.
#include "pipeline/stages/stream_sizes.hpp"

#include "data/batch_inflater.hpp"
#include "data/input_stream.hpp"
#include "kernels/cuda/memory_budget.hpp"
#include "kernels/deflate/deflate.hpp"
#include "kernels/find_candidates/find_candidates.hpp"
#include "kernels/inflate/inflate.hpp"
#include "pipeline/stages/emit_stage.hpp"

#include <algorithm>

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

size_t inflate_batch_pieces(uint64_t batch_bases) {
    constexpr uint64_t k_most = 16;  // 64 blocks of 64 kB, 4 MB of text
    constexpr uint64_t k_piece = data::InputStream::k_piece_text_bytes;
    const uint64_t text_bytes = std::min(batch_bases, k_most * k_piece) * 5 / 2;  // names and qualities
    return static_cast<size_t>(std::clamp((text_bytes + k_piece - 1) / k_piece, uint64_t{1}, k_most));
}

kernels::StreamSize inflate_stream_size(size_t batch_pieces) {
    const kernels::StreamSize size =
        kernels::inflate_stream_size(batch_pieces * data::BatchInflater::k_max_piece_blocks,
                                     batch_pieces * data::InputStream::k_max_piece_bytes,
                                     batch_pieces * data::InputStream::k_piece_text_bytes);
    return {rounded_bytes(size.device_bytes), rounded_bytes(size.pinned_bytes)};
}

uint64_t inflate_device_bytes(size_t batch_pieces, size_t devices) {
    const uint64_t streams = (k_inflate_streams + devices - 1) / devices;
    return streams * inflate_stream_size(batch_pieces).device_bytes;
}

kernels::StreamSize emit_stream_size() {
    const kernels::StreamSize pass = kernels::deflate_stream_size(k_pass_blocks);
    return {rounded_bytes(pass.device_bytes), rounded_bytes(pass.pinned_bytes)};
}

}  // namespace gannet::pipeline::stages
