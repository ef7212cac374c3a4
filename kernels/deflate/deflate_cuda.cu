// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of the op deflate: the kernel around the device schedule, and its launcher.
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/warp.hpp"
#include "kernels/deflate/deflate_backends.hpp"
#include "kernels/deflate/deflate_schedule.hpp"
#include "kernels/deflate/deflate_sections.hpp"

namespace gannet::kernels::deflate {

namespace on_device {

using cuda::Warp;

constexpr uint32_t k_block_threads = k_warps_per_block * k_warp_lanes;

__global__ void __launch_bounds__(k_block_threads)
    compress_blocks(const __grid_constant__ DeflateArrays arrays, WarpScratch* scratch) {
    __shared__ WarpShared shared[k_warps_per_block];
    const uint32_t in_block = threadIdx.x / k_warp_lanes;
    const uint32_t first = blockIdx.x * k_warps_per_block + in_block;
    const Warp warp(threadIdx.x % k_warp_lanes);
    for (uint32_t block = first; block < arrays.count; block += gridDim.x * k_warps_per_block)
        BlockSchedule<Warp>(warp, arrays, shared[in_block], scratch[first], block).run();
}

struct State {
    explicit State(cuda::Device&) {}
    WarpPlan plan;
};

void prepare(cuda::Stream& stream, const DeflateBatch& batch, DeflateResults& results) {
    cuda::Work work(stream, "deflate");
    WarpPlan& plan = stream.state<State>().plan;
    plan.prepare(batch);
    const BatchSections sections(plan);
    const uint32_t wanted = cuda::blocks_for("deflate", plan.blocks().size(), k_warps_per_block);
    const uint64_t scratch =
        work.reserve(sections.bytes, k_block_scratch_bytes, wanted_scratch_bytes(plan.blocks().size()));
    const uint32_t blocks = cuda::blocks_within(std::min(wanted, k_max_warps / k_warps_per_block), scratch,
                                                k_block_scratch_bytes);
    void* const host = work.host_block();
    plan.fill(batch, sections.words.in(host));
    cuda::fill(host, sections.blocks, plan.blocks());
    work.prepared(
        [=](cuda::Queue& queue) {
            void* const block = queue.device_block();
            auto* const scratch_begin =
                reinterpret_cast<WarpScratch*>(static_cast<uint8_t*>(block) + sections.bytes);
            queue.copy_in(0, sections.input_bytes);
            // The copy back takes also what no stream has reached.
            queue.clear(sections.input_bytes, sections.bytes);
            launch(queue, {blocks, k_block_threads, 0}, compress_blocks, sections.in(block), scratch_begin);
            queue.copy_out(sections.input_bytes, sections.bytes);
        },
        [&plan, sections, host, &results] {
            plan.collect(sections.stream_bytes.in(host), sections.streams.in(host), results);
        });
}

}  // namespace on_device

}  // namespace gannet::kernels::deflate

namespace gannet::kernels {

void deflate_cuda(Stream& stream, const DeflateBatch& batch, DeflateResults& results) {
    deflate::on_device::prepare(cuda::Stream::of(stream), batch, results);
}

}  // namespace gannet::kernels
