// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of pair_hmm: the kernel around the device schedule, and its launcher.
#include "kernels/cuda/launch.hpp"
#include "kernels/pair_hmm/pair_hmm_backends.hpp"
#include "kernels/pair_hmm/pair_hmm_schedule.hpp"
#include "kernels/pair_hmm/pair_hmm_sections.hpp"

namespace gannet::kernels::pair_hmm {

namespace on_device {

constexpr uint32_t k_block_threads = k_warps_per_block * k_warp_lanes;

__global__ void __launch_bounds__(k_block_threads, k_blocks_per_multiprocessor)
    score_pairs(const __grid_constant__ WarpArrays arrays, float* scratch, uint64_t floats_per_warp) {
    const uint32_t lane = threadIdx.x % k_warp_lanes;
    const uint32_t first = (blockIdx.x * k_block_threads + threadIdx.x) / k_warp_lanes;
    float* const own = scratch + first * floats_per_warp + lane;
    for (uint32_t group = first; group < arrays.groups(); group += gridDim.x * k_warps_per_block) {
        const uint32_t slot = group * k_warp_lanes + lane;
        if (slot >= arrays.count) return;
        const WarpPair pair = arrays.pairs[slot];
        PairSchedule(arrays, pair, own).run();
    }
}

/// What a stream keeps: the memory of its plans.
struct State {
    explicit State(const cuda::Device&) {}
    WarpPlan plan;
};

void prepare(cuda::Stream& stream, const PairHmmBatch& batch, std::vector<int32_t>& likelihood) {
    cuda::Work work(stream, "pair_hmm");
    WarpPlan& plan = stream.state<State>().plan;
    plan.prepare(batch);
    const BatchSections sections(plan);
    const uint32_t wanted = cuda::blocks_for("pair_hmm", plan.groups(), k_warps_per_block);
    const uint64_t block_bytes = block_scratch_bytes(plan);
    const uint64_t scratch = work.reserve(sections.bytes, block_bytes, wanted_scratch_bytes(plan, wanted));
    const uint32_t blocks =
        cuda::blocks_within(std::min(wanted, k_max_warps / k_warps_per_block), scratch, block_bytes);
    void* const host = work.host_block();
    sections.fill_inputs(host, plan);
    work.prepared(
        [sections, blocks, floats = plan.scratch_bytes() / sizeof(float)](cuda::Queue& queue) {
            void* const block = queue.device_block();
            auto* const scratch_begin =
                reinterpret_cast<float*>(static_cast<uint8_t*>(block) + sections.bytes);
            queue.copy_in(0, sections.input_bytes);
            launch(queue, {blocks, k_block_threads, 0}, score_pairs, sections.in(block), scratch_begin,
                   floats);
            // Not the padding behind them, which nothing has written.
            queue.copy_out(sections.input_bytes, sections.result_bytes);
        },
        [sections, host, &batch, &likelihood] {
            const int32_t* const from = sections.likelihood.in(host);
            likelihood.assign(from, from + sections.likelihood.count);
            finish(batch, likelihood);
        });
}

}  // namespace on_device

}  // namespace gannet::kernels::pair_hmm

namespace gannet::kernels {

void pair_hmm_cuda(Stream& stream, const PairHmmBatch& batch, std::vector<int32_t>& likelihood) {
    pair_hmm::on_device::prepare(cuda::Stream::of(stream), batch, likelihood);
}

}  // namespace gannet::kernels
