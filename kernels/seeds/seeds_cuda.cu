// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of the op seeds: the kernel around the device schedule, and its launcher.
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/resident.hpp"
#include "kernels/seeds/seeds_backends.hpp"
#include "kernels/seeds/seeds_plan.hpp"
#include "kernels/seeds/seeds_schedule.hpp"
#include "kernels/seeds/seeds_tuning.hpp"

#include <algorithm>
#include <cstring>

namespace gannet::kernels::seeds {

namespace on_device {

constexpr uint32_t k_block_threads = k_warps_per_block * k_warp_lanes;

/// The lanes of a phase are the warp's threads. Phases begin and end together: what lies between them reads
/// the warp's memory on every lane. The members are the host's too in name only: constexpr functions that
/// call them exist on both sides.
class Warp {
  public:
    explicit __device__ Warp(uint32_t lane) : lane_(lane) {}

    template <class Phase>
    __host__ __device__ void each(const Phase& phase) const {
        synchronise();
        phase(lane_);
        synchronise();
    }
    template <class Phase>
    __host__ __device__ uint32_t ballot(const Phase& phase) const {
        synchronise();
        const bool bit = phase(lane_);
#ifdef __CUDA_ARCH__
        return __ballot_sync(~0u, bit);
#else
        return bit;
#endif
    }
    template <class Phase>
    __host__ __device__ uint32_t sum(const Phase& phase) const {
        synchronise();
        const uint32_t value = phase(lane_);
#ifdef __CUDA_ARCH__
        return __reduce_add_sync(~0u, value);
#else
        return value;
#endif
    }
    __host__ __device__ uint64_t take([[maybe_unused]] unsigned long long* taken,
                                      [[maybe_unused]] uint32_t count) const {
        unsigned long long begin = 0;
#ifdef __CUDA_ARCH__
        if (lane_ == 0) begin = atomicAdd(taken, static_cast<unsigned long long>(count));
        begin = __shfl_sync(~0u, begin, 0);
#endif
        return begin;
    }

  private:
    __host__ __device__ static void synchronise() {
#ifdef __CUDA_ARCH__
        __syncwarp();
#endif
    }

    uint32_t lane_;
};

/// `memory`: of the warps' SeedArrays; nullptr: they are in shared memory.
__global__ void __launch_bounds__(k_block_threads)
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

/// Where a batch lies: the inputs from 0 to input_bytes, then counters and outputs.
struct BatchSections {
    cuda::Section<uint32_t> length;
    cuda::Section<uint64_t> packed, packed_begin, mask, mask_begin;
    cuda::Section<unsigned long long> taken;
    cuda::Section<uint64_t> hit_begin, hit_end, hits;
    cuda::Section<uint32_t> complete_seeds, part_begin, part_end;
    cuda::Section<uint8_t> narrowed;
    cuda::Section<DistinctPart> parts;
    uint64_t input_bytes = 0;
    uint64_t counter_bytes = 0;  ///< end of the counters
    uint64_t bytes = 0;

    BatchSections(const ReadBatchView& reads, const Plan& plan) {
        cuda::Layout layout;
        length = layout.add<uint32_t>(reads.reads);
        packed = layout.add<uint64_t>(plan.packed_words);
        packed_begin = layout.add<uint64_t>(reads.reads);
        mask = layout.add<uint64_t>(plan.mask_words);
        mask_begin = layout.add<uint64_t>(reads.reads);
        input_bytes = layout.bytes();
        taken = layout.add<unsigned long long>(2);
        counter_bytes = layout.bytes();
        hit_begin = layout.add<uint64_t>(reads.reads);
        hit_end = layout.add<uint64_t>(reads.reads);
        complete_seeds = layout.add<uint32_t>(reads.reads);
        part_begin = layout.add<uint32_t>(reads.reads);
        part_end = layout.add<uint32_t>(reads.reads);
        narrowed = layout.add<uint8_t>(reads.reads);
        parts = layout.add<DistinctPart>(plan.part_capacity);
        hits = layout.add<uint64_t>(plan.hit_capacity);
        bytes = layout.bytes();
    }

    void fill_inputs(void* block, const ReadBatchView& reads) const {
        const auto fill = [block](const auto& section, const auto* from) {
            if (section.count != 0) std::memcpy(section.in(block), from, section.count * sizeof(*from));
        };
        fill(length, reads.length);
        fill(packed, reads.packed);
        fill(packed_begin, reads.packed_begin);
        fill(mask, reads.mask);
        fill(mask_begin, reads.mask_begin);
    }

    Pools pools_in(void* block, const Plan& plan) const {
        return {hits.in(block),     parts.in(block), plan.hit_capacity,
                plan.part_capacity, taken.in(block), taken.in(block) + 1};
    }
    ReadResults results_in(void* block) const {
        return {hit_begin.in(block),  hit_end.in(block),  complete_seeds.in(block),
                part_begin.in(block), part_end.in(block), narrowed.in(block)};
    }
    Job job_in(void* block, const cuda::ResidentViews& views, uint32_t reads, const Plan& plan) const {
        const ReadBatchView there{
            reads,          length.in(block),     packed.in(block), packed_begin.in(block),
            mask.in(block), mask_begin.in(block), nullptr,          nullptr};
        return {views.index,           views.genome,      there,
                pools_in(block, plan), results_in(block), plan.seed_capacity};
    }
};

uint64_t* scratch_in(void* block, uint64_t begin_bytes) {
    return static_cast<uint64_t*>(block) + begin_bytes / sizeof(uint64_t);
}

void prepare(cuda::Stream& stream, const SeedIndexView& index, const GenomeView& genome,
             const ReadBatchView& reads, SeedHits& out) {
    cuda::Work work(stream, "seeds");
    const cuda::ResidentViews views = cuda::resident_views(stream.device(), index, genome);
    const Plan plan = make_plan(reads, index.kmer, k_device_hits_per_read);
    const BatchSections sections(reads, plan);
    const uint64_t warp_bytes = SeedArrays::bytes(plan.seed_capacity);
    const uint64_t block_bytes = k_warps_per_block * warp_bytes;
    const bool is_shared = block_bytes <= k_max_shared_bytes;
    uint32_t blocks = cuda::blocks_for("seeds", reads.reads, k_warps_per_block);
    if (is_shared) {
        work.reserve(sections.bytes);
    } else {
        const uint64_t wanted = std::min<uint64_t>(blocks, k_max_warps / k_warps_per_block);
        const uint64_t scratch = work.reserve(sections.bytes, block_bytes, wanted * block_bytes);
        blocks = static_cast<uint32_t>(std::min<uint64_t>(wanted, scratch / block_bytes));
    }
    void* const host = work.host_block();
    sections.fill_inputs(host, reads);
    work.prepared(
        [=](cuda::Queue& queue) {
            void* const block = queue.device_block();
            queue.copy_in(0, sections.input_bytes);
            // The counters; and the pools, of which the copy takes also what no warp writes.
            queue.clear(sections.input_bytes, sections.bytes);
            launch(queue, {blocks, k_block_threads, is_shared ? block_bytes : 0}, seed_reads,
                   sections.job_in(block, views, reads.reads, plan),
                   is_shared ? nullptr : scratch_in(block, sections.bytes), warp_bytes);
            queue.copy_out(sections.counter_bytes, sections.bytes);
        },
        [=, &out] {
            assemble(index, genome, reads, sections.pools_in(host, plan), sections.results_in(host), out);
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
