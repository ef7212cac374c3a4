// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of the op pairing: the kernel around the device schedule, and its launcher.
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/resident.hpp"
#include "kernels/cuda/warp.hpp"
#include "kernels/pairing/pairing_backends.hpp"
#include "kernels/pairing/pairing_schedule.hpp"
#include "kernels/pairing/pairing_sections.hpp"

namespace gannet::kernels::pairing {

namespace on_device {

using cuda::Warp;

constexpr uint32_t k_block_threads = k_warps_per_block * k_warp_lanes;

__global__ void __launch_bounds__(k_block_threads, k_resident_blocks)
    place_templates_kernel(const __grid_constant__ PairingArrays arrays) {
    __shared__ WarpShared shared[k_warps_per_block];
    const uint32_t in_block = threadIdx.x / k_warp_lanes;
    const uint32_t first = (blockIdx.x * k_warps_per_block + in_block) * k_warp_lanes;
    if (first < arrays.templates())
        place_templates(Warp(threadIdx.x % k_warp_lanes), arrays, shared[in_block], first);
}

struct State {
    explicit State(cuda::Device&) {}
    ComparedReads compared;
};

void prepare(cuda::Stream& stream, const PairingParameters& parameters, const GenomeView& genome,
             const ReadBatchView& reads, const PairingBatch& batch, std::vector<PlacedRead>& out) {
    cuda::Work work(stream, "pairing");
    const GenomeView resident = cuda::resident_genome(stream.device(), genome);
    ComparedReads& compared = stream.state<State>().compared;
    compared.take(reads, batch);
    const BatchSections sections(reads, batch, compared);
    work.reserve(sections.bytes);
    void* const host = work.host_block();
    sections.fill_inputs(host, batch, compared);
    work.prepared(
        [=](cuda::Queue& queue) {
            const PairingArrays arrays = sections.in(queue.device_block(), parameters, resident);
            const uint32_t groups = (arrays.templates() + k_warp_lanes - 1) / k_warp_lanes;
            queue.copy_in(0, sections.input_bytes);
            queue.clear(sections.input_bytes, sections.bytes);
            launch(queue, {cuda::blocks_for("pairing", groups, k_warps_per_block), k_block_threads, 0},
                   place_templates_kernel, arrays);
            queue.copy_out(sections.input_bytes, sections.bytes);
        },
        [=, &out] {
            const PlacedRead* const placed = sections.placed.in(host);
            out.assign(placed, placed + sections.placed.count);
        });
}

}  // namespace on_device

}  // namespace gannet::kernels::pairing

namespace gannet::kernels {

void pairing_cuda(Stream& stream, const PairingParameters& parameters, const GenomeView& genome,
                  const ReadBatchView& reads, const PairingBatch& batch, std::vector<PlacedRead>& out) {
    pairing::check(parameters, reads, batch);
    pairing::on_device::prepare(cuda::Stream::of(stream), parameters, genome, reads, batch, out);
}

}  // namespace gannet::kernels
