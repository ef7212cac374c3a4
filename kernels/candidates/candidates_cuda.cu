// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of the op candidates: the kernel around the device schedule, and its launcher.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/candidates/candidates_plan.hpp"
#include "kernels/candidates/candidates_schedule.hpp"
#include "kernels/candidates/candidates_tuning.hpp"
#include "kernels/cuda/launch.hpp"

#include <algorithm>
#include <cstring>

namespace gannet::kernels::candidates {

namespace on_device {

constexpr uint32_t k_block_threads = k_warps_per_block * k_warp_lanes;

/// The lanes of a phase are the warp's threads. The members are the host's too in name only: constexpr
/// functions that call them exist on both sides.
class Warp {
  public:
    explicit __device__ Warp(uint32_t lane) : lane_(lane) {}

    template <class Phase>
    __host__ __device__ void each(const Phase& phase) const {
        phase(lane_);
#ifdef __CUDA_ARCH__
        __syncwarp();
#endif
    }
    __host__ __device__ static uint64_t claim([[maybe_unused]] unsigned long long* counter,
                                              [[maybe_unused]] uint32_t count) {
#ifdef __CUDA_ARCH__
        return atomicAdd(counter, static_cast<unsigned long long>(count));
#else
        return 0;
#endif
    }

  private:
    uint32_t lane_;
};

__global__ void __launch_bounds__(k_block_threads, k_blocks_per_multiprocessor)
    find_candidates(const __grid_constant__ CandidateArrays arrays, WarpScratch* scratch) {
    __shared__ WarpShared shared[k_warps_per_block];
    const uint32_t in_block = threadIdx.x / k_warp_lanes;
    const uint32_t first = blockIdx.x * k_warps_per_block + in_block;
    const Warp warp(threadIdx.x % k_warp_lanes);
    for (uint32_t read = first; read < arrays.reads.reads; read += gridDim.x * k_warps_per_block)
        ReadSchedule<Warp>(warp, arrays, shared[in_block], scratch[first], read).run();
}

/// Where a batch lies: the inputs from 0 to input_bytes, then counters and outputs.
struct BatchSections {
    cuda::Section<uint32_t> length;
    cuda::Section<uint64_t> packed, packed_begin, mask, mask_begin;
    cuda::Section<uint8_t> quality;
    cuda::Section<uint32_t> quality_begin;
    cuda::Section<uint64_t> hit_begin, hit_end, hits;
    cuda::Section<unsigned long long> counters;
    cuda::Section<ReadOutcome> outcomes;
    cuda::Section<Candidate> found;
    cuda::Section<ExtensionJob> jobs;
    uint64_t input_bytes = 0;
    uint64_t counter_bytes = 0;  ///< end of the counters
    uint64_t bytes = 0;

    BatchSections(const ReadBatchView& reads, const SeedHitsView& hits_view) {
        const BatchExtent extent = extent_of(reads, hits_view);
        const ResultRoom room = result_room(reads.reads);
        cuda::Layout layout;
        length = layout.add<uint32_t>(reads.reads);
        packed = layout.add<uint64_t>(extent.packed_words);
        packed_begin = layout.add<uint64_t>(reads.reads);
        mask = layout.add<uint64_t>(extent.mask_words);
        mask_begin = layout.add<uint64_t>(reads.reads);
        quality = layout.add<uint8_t>(extent.qualities);
        quality_begin = layout.add<uint32_t>(reads.quality == nullptr ? 0 : reads.reads + uint64_t{1});
        hit_begin = layout.add<uint64_t>(reads.reads);
        hit_end = layout.add<uint64_t>(reads.reads);
        hits = layout.add<uint64_t>(extent.hits);
        input_bytes = layout.bytes();
        counters = layout.add<unsigned long long>(2);
        counter_bytes = layout.bytes();
        outcomes = layout.add<ReadOutcome>(reads.reads);
        found = layout.add<Candidate>(room.candidates);
        jobs = layout.add<ExtensionJob>(room.jobs);
        bytes = layout.bytes();
    }

    void fill_inputs(void* block, const ReadBatchView& reads, const SeedHitsView& hits_view) const {
        const auto fill = [block](const auto& section, const auto* from) {
            if (section.count != 0) std::memcpy(section.in(block), from, section.count * sizeof(*from));
        };
        fill(length, reads.length);
        fill(packed, reads.packed);
        fill(packed_begin, reads.packed_begin);
        fill(mask, reads.mask);
        fill(mask_begin, reads.mask_begin);
        fill(quality, reads.quality);
        fill(quality_begin, reads.quality_begin);
        fill(hit_begin, hits_view.hit_begin);
        fill(hit_end, hits_view.hit_end);
        fill(hits, hits_view.hits);
    }

    /// The same arrays in a block of the device or of the host. `arrays` has what is of neither.
    CandidateArrays in(void* block, CandidateArrays arrays) const {
        arrays.reads.length = length.in(block);
        arrays.reads.packed = packed.in(block);
        arrays.reads.packed_begin = packed_begin.in(block);
        arrays.reads.mask = mask.in(block);
        arrays.reads.mask_begin = mask_begin.in(block);
        if (arrays.reads.quality != nullptr) arrays.reads.quality = quality.in(block);
        arrays.reads.quality_begin = quality_begin.in(block);
        arrays.hits.hit_begin = hit_begin.in(block);
        arrays.hits.hit_end = hit_end.in(block);
        arrays.hits.hits = hits.in(block);
        arrays.outcomes = outcomes.in(block);
        arrays.candidates = found.in(block);
        arrays.jobs = jobs.in(block);
        arrays.candidate_room = found.count;
        arrays.job_room = jobs.count;
        arrays.counters = counters.in(block);
        return arrays;
    }
};

WarpScratch* scratch_in(void* block, uint64_t begin_bytes) {
    return reinterpret_cast<WarpScratch*>(static_cast<uint8_t*>(block) + begin_bytes);
}

void prepare(cuda::Stream& stream, const CandidateParameters& parameters, const GenomeView& genome,
             const GenomeView& resident, const ReadBatchView& reads, const SeedHitsView& hits,
             CandidateResults& results) {
    cuda::Work work(stream, "candidates");
    const BatchSections sections(reads, hits);
    constexpr uint64_t k_block_bytes = k_warps_per_block * sizeof(WarpScratch);
    const uint64_t wanted = std::min<uint64_t>(cuda::blocks_for("candidates", reads.reads, k_warps_per_block),
                                               k_max_warps / k_warps_per_block);
    const uint64_t scratch = work.reserve(sections.bytes, k_block_bytes, wanted * k_block_bytes);
    const auto blocks = static_cast<uint32_t>(std::min(wanted, scratch / k_block_bytes));
    void* const host = work.host_block();
    sections.fill_inputs(host, reads, hits);
    CandidateArrays arrays;
    arrays.parameters = parameters;
    arrays.genome = genome;
    arrays.reads = reads;
    arrays.hits = hits;
    work.prepared(
        [=](cuda::Queue& queue) {
            void* const block = queue.device_block();
            CandidateArrays there = sections.in(block, arrays);
            there.genome = resident;
            queue.copy_in(0, sections.input_bytes);
            queue.clear(sections.input_bytes, sections.counter_bytes);
            launch(queue, {blocks, k_block_threads, 0}, find_candidates, there,
                   scratch_in(block, sections.bytes));
            queue.copy_out(sections.counter_bytes, sections.bytes);
        },
        [=, &results] { collect(sections.in(host, arrays), results); });
}

}  // namespace on_device

}  // namespace gannet::kernels::candidates

namespace gannet::kernels {

void candidates_cuda(Stream& stream, const CandidateParameters& parameters, const GenomeView& genome,
                     const GenomeView& resident, const ReadBatchView& reads, const SeedHitsView& hits,
                     CandidateResults& results) {
    candidates::check(parameters, reads, hits);
    candidates::on_device::prepare(cuda::Stream::of(stream), parameters, genome, resident, reads, hits,
                                   results);
}

}  // namespace gannet::kernels
