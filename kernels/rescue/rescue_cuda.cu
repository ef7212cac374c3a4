// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of the op rescue: the kernels around the device schedule, and their launcher.
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/resident.hpp"
#include "kernels/cuda/warp.hpp"
#include "kernels/rescue/rescue_backends.hpp"
#include "kernels/rescue/rescue_schedule.hpp"
#include "kernels/rescue/rescue_sections.hpp"
#include "kernels/rescue/rescue_tuning.hpp"

namespace gannet::kernels::rescue {

namespace on_device {

using cuda::Warp;

constexpr uint32_t k_block_threads = k_warps_per_block * k_warp_lanes;

__global__ void __launch_bounds__(k_block_threads)
    search_windows(const __grid_constant__ RescueArrays arrays) {
    __shared__ SearchShared shared[k_warps_per_block];
    const uint32_t in_block = threadIdx.x / k_warp_lanes;
    const uint32_t window = blockIdx.x * k_warps_per_block + in_block;
    if (window < arrays.count)
        search_window(Warp(threadIdx.x % k_warp_lanes), arrays, shared[in_block], window);
}

__global__ void __launch_bounds__(k_block_threads, k_resident_blocks)
    compare_found(const __grid_constant__ RescueArrays arrays) {
    __shared__ CompareShared shared[k_warps_per_block];
    const uint32_t in_block = threadIdx.x / k_warp_lanes;
    const uint32_t first = (blockIdx.x * k_warps_per_block + in_block) * k_warp_lanes;
    if (first < arrays.count)
        compare_windows(Warp(threadIdx.x % k_warp_lanes), arrays, shared[in_block], first);
}

struct State {
    explicit State(cuda::Device&) {}
    NamedReads named;
};

void prepare(cuda::Stream& stream, const RescueCall& call, RescueResults& results) {
    cuda::Work work(stream, "rescue");
    const GenomeView resident = cuda::resident_genome(stream.device(), call.genome);
    NamedReads& named = stream.state<State>().named;
    named.take(call.reads, call.windows);
    const BatchSections sections(named);
    work.reserve(sections.bytes);
    void* const host = work.host_block();
    sections.fill_inputs(host, named);
    const auto windows = static_cast<uint32_t>(call.windows.count);
    const CandidateParameters parameters = call.parameters;
    work.prepared(
        [=](cuda::Queue& queue) {
            const RescueArrays arrays = sections.in(queue.device_block(), parameters, resident);
            const uint32_t groups = (windows + k_warp_lanes - 1) / k_warp_lanes;
            queue.copy_in(0, sections.input_bytes);
            queue.clear(sections.input_bytes, sections.bytes);
            launch(queue, {cuda::blocks_for("rescue", windows, k_warps_per_block), k_block_threads, 0},
                   search_windows, arrays);
            launch(queue, {cuda::blocks_for("rescue", groups, k_warps_per_block), k_block_threads, 0},
                   compare_found, arrays);
            queue.copy_out(sections.input_bytes, sections.bytes);
        },
        [=, &results] { collect(call, sections.diagonals.in(host), sections.candidates.in(host), results); });
}

}  // namespace on_device

}  // namespace gannet::kernels::rescue

namespace gannet::kernels {

void rescue_cuda(Stream& stream, const CandidateParameters& parameters, const GenomeView& genome,
                 const ReadBatchView& reads, const RescueWindows& windows, RescueResults& results) {
    rescue::check(parameters, reads, windows);
    rescue::on_device::prepare(cuda::Stream::of(stream), {parameters, genome, reads, windows}, results);
}

}  // namespace gannet::kernels
