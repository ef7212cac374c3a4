// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of pileup_network: the kernels around the device schedule, and their launcher.
#include "kernels/cuda/launch.hpp"
#include "kernels/pileup_network/pileup_network_backends.hpp"
#include "kernels/pileup_network/pileup_network_schedule.hpp"
#include "kernels/pileup_network/pileup_network_tuning.hpp"

#include <memory>
#include <vector>

namespace gannet::kernels::pileup {

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
    __host__ __device__ static uint32_t word(const void* from) { return *static_cast<const uint32_t*>(from); }
    __host__ __device__ static int32_t dot([[maybe_unused]] uint32_t inputs,
                                           [[maybe_unused]] uint32_t weights, int32_t sum) {
#ifdef __CUDA_ARCH__
        // __dp4a takes operands of one signedness; the instruction takes both.
        asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(inputs), "r"(weights));
#endif
        return sum;
    }

  private:
    uint32_t lane_;
};

__device__ inline uint32_t warp_number() {
    return (blockIdx.x * k_block_threads + threadIdx.x) / k_warp_lanes;
}

__global__ void __launch_bounds__(k_block_threads) read_rows(const __grid_constant__ NetworkArrays batch) {
    __shared__ RowScratch scratch[k_warps_per_block];
    const uint32_t row = warp_number();
    if (row >= batch.row_count) return;
    read_row(Warp(threadIdx.x % k_warp_lanes), batch.network, batch.rows + uint64_t{row} * k_row_bytes,
             scratch[threadIdx.x / k_warp_lanes], batch.read + uint64_t{row} * batch.network.read.outputs);
}

__global__ void __launch_bounds__(k_block_threads)
    score_examples(const __grid_constant__ NetworkArrays batch) {
    __shared__ ExampleScratch scratch[k_warps_per_block];
    const uint32_t example = warp_number();
    if (example >= batch.examples) return;
    const uint32_t begin = batch.row_offset[example];
    score_example(Warp(threadIdx.x % k_warp_lanes), batch.network, batch.rows + uint64_t{begin} * k_row_bytes,
                  batch.read + uint64_t{begin} * batch.network.read.outputs,
                  batch.row_offset[example + 1] - begin, batch.sites + uint64_t{example} * k_site_bytes,
                  scratch[threadIdx.x / k_warp_lanes], batch.output + uint64_t{example} * k_outputs);
}

struct LayerSections {
    uint32_t inputs = 0;
    uint32_t outputs = 0;
    cuda::Section<int8_t> weight;
    cuda::Section<int32_t> bias, multiplier, shift;

    LayerView in(const void* block) const {
        return {inputs, outputs, weight.in(block), bias.in(block), multiplier.in(block), shift.in(block)};
    }
};

LayerSections add(cuda::Layout& layout, const PackedLayer& layer) {
    return {layer.inputs,
            layer.outputs,
            layout.add(layer.weight),
            layout.add(layer.bias),
            layout.add(layer.multiplier),
            layout.add(layer.shift)};
}

void fill(void* block, const LayerSections& sections, const PackedLayer& layer) {
    cuda::fill(block, sections.weight, layer.weight);
    cuda::fill(block, sections.bias, layer.bias);
    cuda::fill(block, sections.multiplier, layer.multiplier);
    cuda::fill(block, sections.shift, layer.shift);
}

/// Where a batch lies: the weights from 0 to weight_bytes, the examples from there to input_bytes, then the
/// outputs; only on the device, behind all, the rows that were read.
struct BatchSections {
    LayerSections conv1, conv2, read, site1, site2, output;
    cuda::Section<uint8_t> rows;
    cuda::Section<uint32_t> row_offset;
    cuda::Section<uint8_t> sites;
    cuda::Section<int32_t> outputs;
    uint64_t weight_bytes = 0;
    uint64_t input_bytes = 0;
    uint64_t bytes = 0;
    uint32_t row_count = 0;
    uint32_t examples = 0;

    BatchSections(const PackedWeights& weights, const PileupNetworkBatch& batch) {
        cuda::Layout layout;
        conv1 = add(layout, weights.conv1);
        conv2 = add(layout, weights.conv2);
        read = add(layout, weights.read);
        site1 = add(layout, weights.site1);
        site2 = add(layout, weights.site2);
        output = add(layout, weights.output);
        weight_bytes = layout.bytes();
        rows = layout.add(batch.rows);
        row_offset = layout.add(batch.row_offset);
        sites = layout.add(batch.sites);
        input_bytes = layout.bytes();
        outputs = layout.add<int32_t>(batch.size() * k_outputs);
        bytes = layout.bytes();
        row_count = static_cast<uint32_t>(batch.rows.size() / k_row_bytes);
        examples = static_cast<uint32_t>(batch.size());
    }

    void fill_weights(void* block, const PackedWeights& weights) const {
        fill(block, conv1, weights.conv1);
        fill(block, conv2, weights.conv2);
        fill(block, read, weights.read);
        fill(block, site1, weights.site1);
        fill(block, site2, weights.site2);
        fill(block, output, weights.output);
    }
    void fill_examples(void* block, const PileupNetworkBatch& batch) const {
        cuda::fill(block, rows, batch.rows);
        cuda::fill(block, row_offset, batch.row_offset);
        cuda::fill(block, sites, batch.sites);
    }

    NetworkArrays on_device(void* block) const {
        const NetworkView network{conv1.in(block), conv2.in(block), read.in(block),
                                  site1.in(block), site2.in(block), output.in(block)};
        return {network,
                rows.in(block),
                row_offset.in(block),
                sites.in(block),
                static_cast<uint8_t*>(block) + bytes,
                outputs.in(block),
                row_count,
                examples};
    }
};

void prepare(cuda::Stream& stream, const std::shared_ptr<const PackedWeights>& weights,
             const PileupNetworkBatch& batch, std::vector<int32_t>& output) {
    cuda::Work work(stream, "pileup_network");
    // First, so that a batch whose rows could not be numbered is refused.
    const uint64_t row_count = batch.rows.size() / k_row_bytes;
    const uint32_t row_blocks = cuda::blocks_for("pileup_network", row_count, k_warps_per_block);
    const uint32_t example_blocks = cuda::blocks_for("pileup_network", batch.size(), k_warps_per_block);
    const BatchSections sections(*weights, batch);
    const uint64_t read_bytes = row_count * weights->read.outputs;
    work.reserve(sections.bytes, read_bytes, read_bytes);
    void* const host = work.host_block();
    // The weights are as large as some twenty examples. They go to the device with the first batch only.
    const uint64_t first = work.keeps(weights) ? sections.weight_bytes : 0;
    if (first == 0) sections.fill_weights(host, *weights);
    sections.fill_examples(host, batch);
    work.prepared(
        [sections, row_blocks, example_blocks, first](cuda::Queue& queue) {
            const NetworkArrays batch_there = sections.on_device(queue.device_block());
            queue.copy_in(first, sections.input_bytes);
            launch(queue, {row_blocks, k_block_threads, 0}, read_rows, batch_there);
            launch(queue, {example_blocks, k_block_threads, 0}, score_examples, batch_there);
            // Not the padding behind them, which nothing has written.
            queue.copy_out(sections.input_bytes,
                           sections.input_bytes + sections.outputs.count * sizeof(int32_t));
        },
        [sections, &output, host] {
            const int32_t* const from = sections.outputs.in(host);
            output.assign(from, from + sections.outputs.count);
        });
}

}  // namespace on_device

}  // namespace gannet::kernels::pileup

namespace gannet::kernels {

void pileup_network_cuda(Stream& stream, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                         std::vector<int32_t>& output) {
    const auto packed = weights.packed != nullptr
                            ? weights.packed
                            : std::make_shared<const pileup::PackedWeights>(pileup::pack(weights));
    pileup::on_device::prepare(cuda::Stream::of(stream), packed, batch, output);
}

}  // namespace gannet::kernels
