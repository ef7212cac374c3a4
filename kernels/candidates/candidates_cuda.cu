// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of the op candidates: the kernel around the device schedule, and its launcher.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/candidates/candidates_schedule.hpp"
#include "kernels/candidates/candidates_sections.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/resident.hpp"
#include "kernels/cuda/warp.hpp"

namespace gannet::kernels::candidates {

namespace on_device {

using cuda::Warp;

constexpr uint32_t k_block_threads = k_warps_per_block * k_warp_lanes;

__global__ void __launch_bounds__(k_block_threads, k_blocks_per_multiprocessor)
    find_candidates(const __grid_constant__ CandidateArrays arrays, WarpScratch* scratch) {
    __shared__ WarpShared shared[k_warps_per_block];
    const uint32_t in_block = threadIdx.x / k_warp_lanes;
    const uint32_t first = blockIdx.x * k_warps_per_block + in_block;
    const Warp warp(threadIdx.x % k_warp_lanes);
    for (uint32_t read = first; read < arrays.reads.reads; read += gridDim.x * k_warps_per_block)
        ReadSchedule<Warp>(warp, arrays, shared[in_block], scratch[first], read).run();
}

void prepare(cuda::Stream& stream, const CandidateParameters& parameters, const GenomeView& genome,
             const ReadBatchView& reads, const SeedHitsView& hits, CandidateResults& results) {
    cuda::Work work(stream, "candidates");
    const GenomeView resident = cuda::resident_genome(stream.device(), genome);
    const BatchSections sections(reads, hits);
    const uint32_t wanted = cuda::blocks_for("candidates", reads.reads, k_warps_per_block);
    const uint64_t scratch =
        work.reserve(sections.bytes, k_block_scratch_bytes, wanted_scratch_bytes(wanted));
    const uint32_t blocks = cuda::blocks_within(std::min(wanted, k_max_warps / k_warps_per_block), scratch,
                                                k_block_scratch_bytes);
    void* const host = work.host_block();
    sections.fill_inputs(host, reads, hits);
    work.prepared(
        [=](cuda::Queue& queue) {
            void* const block = queue.device_block();
            auto* const scratch_begin =
                reinterpret_cast<WarpScratch*>(static_cast<uint8_t*>(block) + sections.bytes);
            queue.copy_in(0, sections.input_bytes);
            queue.clear(sections.input_bytes, sections.counter_bytes);
            launch(queue, {blocks, k_block_threads, 0}, find_candidates,
                   sections.in(block, parameters, resident), scratch_begin);
            queue.copy_out(sections.counter_bytes, sections.bytes);
        },
        [=, &results] { collect(sections.in(host, parameters, genome), results); });
}

}  // namespace on_device

}  // namespace gannet::kernels::candidates

namespace gannet::kernels {

void candidates_cuda(Stream& stream, const CandidateParameters& parameters, const GenomeView& genome,
                     const ReadBatchView& reads, const SeedHitsView& hits, CandidateResults& results) {
    candidates::check(parameters, reads, hits);
    candidates::on_device::prepare(cuda::Stream::of(stream), parameters, genome, reads, hits, results);
}

}  // namespace gannet::kernels
