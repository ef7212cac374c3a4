// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of the op find_candidates: the kernels around the device schedules of its
// steps, and their launcher. The hits of the first kernel stay where the second one reads them.
#include "kernels/candidates/candidates_schedule.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/resident.hpp"
#include "kernels/cuda/warp.hpp"
#include "kernels/find_candidates/find_candidates_backends.hpp"
#include "kernels/find_candidates/find_candidates_sections.hpp"
#include "kernels/seeds/seeds_schedule.hpp"

namespace gannet::kernels::find_candidates {

namespace on_device {

using cuda::Warp;

constexpr uint32_t k_seed_threads = seeds::k_warps_per_block * k_warp_lanes;
constexpr uint32_t k_search_threads = candidates::k_warps_per_block * k_warp_lanes;

/// `memory`: of the warps' SeedArrays; nullptr: they are in shared memory.
__global__ void __launch_bounds__(k_seed_threads, seeds::k_blocks_per_multiprocessor)
    seed_reads(const __grid_constant__ seeds::Job job, uint64_t* memory, uint64_t bytes_per_warp) {
    extern __shared__ uint64_t shared_arrays[];
    __shared__ seeds::WarpScratch scratch[seeds::k_warps_per_block];
    const uint32_t in_block = threadIdx.x / k_warp_lanes;
    const uint32_t warps = gridDim.x * seeds::k_warps_per_block;
    const uint32_t first = blockIdx.x * seeds::k_warps_per_block + in_block;
    uint64_t* const own = memory == nullptr ? shared_arrays + in_block * (bytes_per_warp / sizeof(uint64_t))
                                            : memory + first * (bytes_per_warp / sizeof(uint64_t));
    const seeds::SeedArrays arrays =
        seeds::SeedArrays::in(own, reinterpret_cast<uint32_t*>(own + job.seed_capacity), job.seed_capacity);
    const Warp warp(threadIdx.x % k_warp_lanes);
    for (uint32_t read = first; read < job.reads.reads; read += warps)
        seeds::WarpSeeder<Warp>(warp, job, arrays, scratch[in_block], read).run();
}

__global__ void __launch_bounds__(k_search_threads, candidates::k_blocks_per_multiprocessor)
    search_reads(const __grid_constant__ candidates::CandidateArrays arrays,
                 candidates::WarpScratch* scratch) {
    __shared__ candidates::WarpShared shared[candidates::k_warps_per_block];
    const uint32_t in_block = threadIdx.x / k_warp_lanes;
    const uint32_t first = blockIdx.x * candidates::k_warps_per_block + in_block;
    const Warp warp(threadIdx.x % k_warp_lanes);
    for (uint32_t read = first; read < arrays.reads.reads; read += gridDim.x * candidates::k_warps_per_block)
        candidates::ReadSchedule<Warp>(warp, arrays, shared[in_block], scratch[first], read).run();
}

/// What a stream keeps.
struct State {
    explicit State(cuda::Device&) {}
    PoolForecast forecast;
};

/// Entries [from, to) of the pools; false where there are none.
bool copy_pools(cuda::Queue& queue, const BatchSections& sections, const PoolCounts& from,
                const PoolCounts& to) {
    bool any = false;
    sections.each_in_pools(from, to, [&](uint64_t begin, uint64_t end) {
        queue.copy_out(begin, end);
        any = true;
    });
    return any;
}

void prepare(cuda::Stream& stream, const CandidateParameters& parameters, const SeedIndexView& index,
             const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found) {
    cuda::Work work(stream, "find_candidates");
    const cuda::ResidentViews views = cuda::resident_views(stream.device(), index, genome);
    const BatchSections sections(reads, index.kmer);
    cuda::blocks_for("find_candidates", reads.reads, 1);  // all can be numbered
    const uint64_t scratch =
        work.reserve(sections.bytes, sections.least_scratch_bytes(), sections.wanted_scratch_bytes()) -
        (sections.device_bytes - sections.bytes);
    const uint32_t seed_blocks = cuda::blocks_within(
        sections.seed_blocks(), scratch, sections.seeds_are_shared() ? 0 : sections.seed_block_bytes());
    const uint32_t search_blocks =
        cuda::blocks_within(sections.search_blocks(), scratch, sections.search_block_bytes());
    void* const host = work.host_block();
    sections.reads.fill(host, reads);
    PoolForecast& forecast = stream.state<State>().forecast;
    const PoolCounts expected = forecast.of(sections.plan, reads.reads);
    const uint32_t count = reads.reads;
    work.prepared(
        [=](cuda::Queue& queue) {
            void* const block = queue.device_block();
            uint8_t* const scratch_begin = static_cast<uint8_t*>(block) + sections.device_bytes;
            const bool shared = sections.seeds_are_shared();
            queue.copy_in(0, sections.input_bytes);
            // The counters; and the results, of which the copies take also what no warp writes.
            queue.clear(sections.input_bytes, sections.bytes);
            launch(queue, {seed_blocks, k_seed_threads, shared ? sections.seed_block_bytes() : 0}, seed_reads,
                   sections.seeding_in(block, views.index, views.genome),
                   shared ? nullptr : reinterpret_cast<uint64_t*>(scratch_begin), sections.seed_warp_bytes());
            launch(queue, {search_blocks, k_search_threads, 0}, search_reads,
                   sections.search_in(block, parameters, views.genome),
                   reinterpret_cast<candidates::WarpScratch*>(scratch_begin));
            queue.copy_out(sections.input_bytes, sections.pools_begin);
            copy_pools(queue, sections, {}, expected);
        },
        [=, &forecast](cuda::Queue& queue) {
            const PoolCounts used = used_of(sections.plan, sections.counters.in(host));
            forecast.add(used, count);
            return copy_pools(queue, sections, expected, used);
        },
        [=, &found] {
            collect(sections.seeding_in(host, index, genome), sections.search_in(host, parameters, genome),
                    found);
        });
}

}  // namespace on_device

}  // namespace gannet::kernels::find_candidates

namespace gannet::kernels {

void find_candidates_cuda(Stream& stream, const CandidateParameters& parameters, const SeedIndexView& index,
                          const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found) {
    find_candidates::check(parameters, index, reads);
    find_candidates::on_device::prepare(cuda::Stream::of(stream), parameters, index, genome, reads, found);
}

}  // namespace gannet::kernels
