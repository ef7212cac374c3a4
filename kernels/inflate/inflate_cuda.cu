// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of the op inflate: the kernel around the device schedule, and its launcher.
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/warp.hpp"
#include "kernels/inflate/inflate_backends.hpp"
#include "kernels/inflate/inflate_schedule.hpp"
#include "kernels/inflate/inflate_sections.hpp"

namespace gannet::kernels::inflate {

template <class T>
class OfLane<cuda::Warp, T> {
  public:
    __host__ __device__ T& operator[](uint32_t) { return value_; }

  private:
    T value_ = {};
};

namespace on_device {

using cuda::Warp;

constexpr uint32_t k_block_threads = k_warps_per_block * k_warp_lanes;

__global__ void __launch_bounds__(k_block_threads)
    inflate_streams(const __grid_constant__ InflateArrays arrays) {
    __shared__ WarpShared shared[k_warps_per_block];
    const uint32_t in_block = threadIdx.x / k_warp_lanes;
    const uint32_t block = blockIdx.x * k_warps_per_block + in_block;
    if (block < arrays.count)
        StreamSchedule<Warp>(Warp(threadIdx.x % k_warp_lanes), arrays, shared[in_block], block).run();
}

struct State {
    explicit State(cuda::Device&) {}
    WarpPlan plan;
};

void prepare(cuda::Stream& stream, std::span<const InflateBlock> batch,
             std::vector<InflateStatus>& statuses) {
    cuda::Work work(stream, "inflate");
    WarpPlan& plan = stream.state<State>().plan;
    plan.prepare(batch);
    const BatchSections sections(plan);
    work.reserve(sections.bytes);
    const uint32_t blocks = cuda::blocks_for("inflate", plan.blocks().size(), k_warps_per_block);
    void* const host = work.host_block();
    plan.fill(batch, sections.words.in(host));
    cuda::fill(host, sections.blocks, plan.blocks());
    work.prepared(
        [=](cuda::Queue& queue) {
            void* const block = queue.device_block();
            queue.copy_in(0, sections.input_bytes);
            // The copy back takes also what no stream has reached.
            queue.clear(sections.input_bytes, sections.bytes);
            launch(queue, {blocks, k_block_threads, 0}, inflate_streams, sections.in(block));
            queue.copy_out(sections.input_bytes, sections.bytes);
        },
        [&plan, sections, host, batch, &statuses] {
            plan.collect(sections.statuses.in(host), sections.out.in(host), batch, statuses);
        });
}

}  // namespace on_device

}  // namespace gannet::kernels::inflate

namespace gannet::kernels {

void inflate_cuda(Stream& stream, std::span<const InflateBlock> blocks,
                  std::vector<InflateStatus>& statuses) {
    inflate::on_device::prepare(cuda::Stream::of(stream), blocks, statuses);
}

}  // namespace gannet::kernels
