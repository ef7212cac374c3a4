// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of pileup_network: the kernels around the device schedule, and their launcher.
#include "kernels/cuda/launch.hpp"
#include "kernels/pileup_network/pileup_network_backends.hpp"
#include "kernels/pileup_network/pileup_network_schedule.hpp"
#include "kernels/pileup_network/pileup_network_tuning.hpp"

#include <algorithm>
#include <cstring>

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

struct DeviceBatch {
    NetworkView network;
    const uint8_t* rows;
    const uint32_t* row_offset;
    const uint8_t* sites;
    uint8_t* read;  ///< rows x read
    int32_t* output;
    uint32_t row_count;
    uint32_t examples;
};

__device__ inline uint32_t warp_number() {
    return (blockIdx.x * k_block_threads + threadIdx.x) / k_warp_lanes;
}

__global__ void __launch_bounds__(k_block_threads) read_rows(const __grid_constant__ DeviceBatch batch) {
    __shared__ RowScratch scratch[k_warps_per_block];
    const uint32_t row = warp_number();
    if (row >= batch.row_count) return;
    read_row(Warp(threadIdx.x % k_warp_lanes), batch.network, batch.rows + uint64_t{row} * k_row_bytes,
             scratch[threadIdx.x / k_warp_lanes], batch.read + uint64_t{row} * batch.network.read.outputs);
}

__global__ void __launch_bounds__(k_block_threads) score_examples(const __grid_constant__ DeviceBatch batch) {
    __shared__ ExampleScratch scratch[k_warps_per_block];
    const uint32_t example = warp_number();
    if (example >= batch.examples) return;
    const uint32_t begin = batch.row_offset[example];
    score_example(Warp(threadIdx.x % k_warp_lanes), batch.network, batch.rows + uint64_t{begin} * k_row_bytes,
                  batch.read + uint64_t{begin} * batch.network.read.outputs,
                  batch.row_offset[example + 1] - begin, batch.sites + uint64_t{example} * k_site_bytes,
                  scratch[threadIdx.x / k_warp_lanes], batch.output + uint64_t{example} * k_outputs);
}

struct State {
    explicit State(cuda::Device& device) : in(device.budget), read(device.budget), out(device.budget) {}

    cuda::PinnedBuffer host_in;
    cuda::PinnedBuffer host_out;
    cuda::DeviceBuffer in;
    cuda::DeviceBuffer read;
    cuda::DeviceBuffer out;
};

/// What goes to the device, in one block of memory and with one copy: counted first, then filled.
class Upload {
  public:
    /// With `host` null it only counts.
    Upload(uint8_t* host, const uint8_t* device) : host_(host), device_(device) {}

    template <class T>
    const T* add(const std::vector<T>& values) {
        const size_t begin = bytes_;
        const size_t size = values.size() * sizeof(T);
        if (host_ != nullptr && size != 0) std::memcpy(host_ + begin, values.data(), size);
        bytes_ += (size + k_alignment - 1) / k_alignment * k_alignment;
        return reinterpret_cast<const T*>(device_ + begin);
    }
    LayerView add(const PackedLayer& layer) {
        LayerView view{layer.inputs, layer.outputs};
        view.weight = add(layer.weight);
        view.bias = add(layer.bias);
        view.multiplier = add(layer.multiplier);
        view.shift = add(layer.shift);
        return view;
    }
    size_t bytes() const { return bytes_; }

  private:
    static constexpr size_t k_alignment = 256;
    uint8_t* host_;
    const uint8_t* device_;
    size_t bytes_ = 0;
};

DeviceBatch lay_out(Upload& upload, const PackedWeights& weights, const PileupNetworkBatch& batch) {
    DeviceBatch result{};
    result.network = {upload.add(weights.conv1), upload.add(weights.conv2), upload.add(weights.read),
                      upload.add(weights.site1), upload.add(weights.site2), upload.add(weights.output)};
    result.rows = upload.add(batch.rows);
    result.row_offset = upload.add(batch.row_offset);
    result.sites = upload.add(batch.sites);
    result.row_count = static_cast<uint32_t>(batch.rows.size() / k_row_bytes);
    result.examples = static_cast<uint32_t>(batch.size());
    return result;
}

void enqueue(cuda::Stream& stream, const PackedWeights& weights, const PileupNetworkBatch& batch,
             std::vector<int32_t>& output) {
    cuda::Work work(stream, "pileup_network");
    State& state = stream.state<State>();
    Upload counted(nullptr, nullptr);
    lay_out(counted, weights, batch);
    const size_t output_bytes = batch.size() * k_outputs * sizeof(int32_t);
    const size_t row_count = batch.rows.size() / k_row_bytes;
    state.host_in.reserve(counted.bytes(), "pileup_network: pinned memory for examples");
    state.host_out.reserve(output_bytes, "pileup_network: pinned memory for outputs");
    state.in.reserve(counted.bytes(), "pileup_network: weights and examples");
    state.read.reserve(row_count * weights.read.outputs, "pileup_network: rows that were read");
    state.out.reserve(output_bytes, "pileup_network: outputs");

    Upload upload(state.host_in.data<uint8_t>(), state.in.data<uint8_t>());
    DeviceBatch on_device = lay_out(upload, weights, batch);
    on_device.read = state.read.data<uint8_t>();
    on_device.output = state.out.data<int32_t>();
    work.copy_in(state.in, state.host_in, upload.bytes());
    launch(work, {cuda::blocks_for(on_device.row_count, k_warps_per_block), k_block_threads, 0}, read_rows,
           on_device);
    launch(work, {cuda::blocks_for(on_device.examples, k_warps_per_block), k_block_threads, 0},
           score_examples, on_device);
    work.copy_out(state.host_out, state.out, output_bytes);
    work.finish([&state, &output, values = batch.size() * k_outputs] {
        const auto* const from = state.host_out.data<int32_t>();
        output.assign(from, from + values);
    });
}

}  // namespace on_device

}  // namespace gannet::kernels::pileup

namespace gannet::kernels {

void pileup_network_cuda(Stream& stream, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                         std::vector<int32_t>& output) {
    if (weights.packed != nullptr)
        return pileup::on_device::enqueue(cuda::Stream::of(stream), *weights.packed, batch, output);
    pileup::on_device::enqueue(cuda::Stream::of(stream), pileup::pack(weights), batch, output);
}

}  // namespace gannet::kernels
