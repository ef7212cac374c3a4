// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of the op seeds: the kernel around the device schedule, and its launcher.
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/resident.hpp"
#include "kernels/cuda/warp.hpp"
#include "kernels/seeds/seeds_backends.hpp"
#include "kernels/seeds/seeds_schedule.hpp"
#include "kernels/seeds/seeds_sections.hpp"

namespace gannet::kernels::seeds {

namespace on_device {

using cuda::Warp;

constexpr uint32_t k_block_threads = k_warps_per_block * k_warp_lanes;

/// `memory`: of the warps' SeedArrays; nullptr: they are in shared memory.
__global__ void __launch_bounds__(k_block_threads, k_blocks_per_multiprocessor)
    seed_reads(const __grid_constant__ Job job, uint64_t* memory, uint64_t bytes_per_warp) {
    extern __shared__ uint64_t shared_arrays[];
    __shared__ WarpScratch scratch[k_warps_per_block];
    const uint32_t in_block = threadIdx.x / k_warp_lanes;
    const uint32_t warps = gridDim.x * k_warps_per_block;
    const uint32_t first = blockIdx.x * k_warps_per_block + in_block;
    uint64_t* const own = memory == nullptr ? shared_arrays + in_block * (bytes_per_warp / sizeof(uint64_t))
                                            : memory + first * (bytes_per_warp / sizeof(uint64_t));
    const SeedArrays arrays =
        SeedArrays::in(own, reinterpret_cast<uint32_t*>(own + job.seed_capacity), job.seed_capacity);
    const Warp warp(threadIdx.x % k_warp_lanes);
    for (uint32_t read = first; read < job.reads.reads; read += warps)
        WarpSeeder<Warp>(warp, job, arrays, scratch[in_block], read).run();
}

void prepare(cuda::Stream& stream, const SeedIndexView& index, const GenomeView& genome,
             const ReadBatchView& reads, SeedHits& out) {
    cuda::Work work(stream, "seeds");
    const cuda::ResidentViews views = cuda::resident_views(stream.device(), index, genome);
    const BatchSections sections(reads, index.kmer);
    uint32_t blocks = cuda::blocks_for("seeds", reads.reads, k_warps_per_block);
    const uint64_t scratch =
        work.reserve(sections.bytes, sections.least_scratch_bytes(), sections.wanted_scratch_bytes(blocks));
    if (!sections.is_shared())
        blocks = cuda::blocks_within(std::min(blocks, k_max_warps / k_warps_per_block), scratch,
                                     sections.block_bytes());
    void* const host = work.host_block();
    sections.reads.fill(host, reads);
    work.prepared(
        [=](cuda::Queue& queue) {
            void* const block = queue.device_block();
            const Job job{views.index,
                          views.genome,
                          sections.reads.in(block),
                          sections.pools_in(block),
                          sections.results_in(block),
                          sections.plan.seed_capacity};
            auto* const scratch_begin =
                reinterpret_cast<uint64_t*>(static_cast<uint8_t*>(block) + sections.bytes);
            queue.copy_in(0, sections.input_bytes);
            // The counters; and the pools, of which the copy takes also what no warp writes.
            queue.clear(sections.input_bytes, sections.bytes);
            launch(queue, {blocks, k_block_threads, sections.is_shared() ? sections.block_bytes() : 0},
                   seed_reads, job, sections.is_shared() ? nullptr : scratch_begin, sections.warp_bytes());
            queue.copy_out(sections.counter_bytes, sections.bytes);
        },
        [=, &out] {
            assemble(index, genome, reads, sections.pools_in(host), sections.results_in(host), out);
        });
}

}  // namespace on_device

}  // namespace gannet::kernels::seeds

namespace gannet::kernels {

void seeds_cuda(Stream& stream, const SeedIndexView& index, const GenomeView& genome,
                const ReadBatchView& reads, SeedHits& out) {
    seeds::check(index);
    seeds::on_device::prepare(cuda::Stream::of(stream), index, genome, reads, out);
}

}  // namespace gannet::kernels
