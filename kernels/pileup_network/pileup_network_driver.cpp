// SPDX-License-Identifier: MIT
// Provides the vector backends of pileup_network: examples in blocks, layer after layer.
//
// Rows are read one example at a time; the layers of the site follow for a block of examples, so that their
// weights are fetched once per block.
#include "kernels/pileup_network/pileup_network_backends.hpp"
#include "kernels/pileup_network/pileup_network_cell.hpp"
#include "kernels/pileup_network/pileup_network_lanes.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace gannet::kernels {

namespace {

using namespace pileup;

constexpr uint32_t k_block_examples = 24;

struct Scratch {
    PackedWeights packed;  ///< of weights that were not prepared
    std::vector<uint8_t> conv1, read_inputs, read, site_inputs, site1, site2;
    std::vector<uint16_t> pooled_sum;
    uint8_t pool[k_max_rows];
    int32_t sums[k_block_examples * k_block];
};

/// `windows` windows of `layer` from `from` on, window_bytes apart; outputs side by side, `output_bytes`
/// apart.
DenseJob dense_job(const PackedLayer& layer, const uint8_t* from, uint32_t windows, uint32_t window_bytes,
                   uint8_t* to, uint32_t output_bytes) {
    return {from,
            windows,
            window_bytes,
            layer.inputs,
            layer.outputs,
            layer.weight.data(),
            layer.bias.data(),
            layer.limit.data(),
            layer.scale.data(),
            to,
            output_bytes};
}

class Network {
  public:
    Network(const LaneFunctions& functions, const PackedWeights& weights, Scratch& scratch)
        : functions_(functions), weights_(weights), scratch_(scratch) {
        scratch.conv1.resize(size_t{k_conv1_positions} * weights.conv1.outputs);
        scratch.read_inputs.resize(size_t{k_max_rows} * weights.read.inputs);
        scratch.read.resize(size_t{k_max_rows} * weights.read.outputs);
        scratch.pooled_sum.resize(k_pools * size_t{weights.read.outputs});
        scratch.site_inputs.resize(size_t{k_block_examples} * weights.site1.inputs);
        scratch.site1.resize(size_t{k_block_examples} * weights.site1.outputs);
        scratch.site2.resize(size_t{k_block_examples} * weights.site2.outputs);
    }

    /// Examples [begin, begin + count) of the batch.
    void run(const PileupNetworkBatch& batch, size_t begin, uint32_t count, int32_t* output) {
        for (uint32_t k = 0; k < count; ++k) {
            const uint32_t first_row = batch.row_offset[begin + k];
            uint8_t* const inputs = scratch_.site_inputs.data() + size_t{k} * weights_.site1.inputs;
            read_rows(batch.rows.data() + size_t{first_row} * k_row_bytes,
                      batch.row_offset[begin + k + 1] - first_row, inputs);
            std::memcpy(inputs + size_t{2 * k_pools} * weights_.read.outputs,
                        batch.sites.data() + (begin + k) * k_site_bytes, k_site_bytes);
        }
        layer(weights_.site1, scratch_.site_inputs.data(), count, scratch_.site1.data());
        layer(weights_.site2, scratch_.site1.data(), count, scratch_.site2.data());
        const PackedLayer& last = weights_.output;
        functions_.sum_block(dense_job(last, scratch_.site2.data(), count, last.inputs, nullptr, 0),
                             scratch_.sums);
        for (uint32_t k = 0; k < count * k_outputs; ++k) {
            const uint32_t out = k % k_outputs;
            output[k] = output_value(scratch_.sums[k / k_outputs * k_block + out], last.multiplier[out],
                                     last.shift[out]);
        }
    }

  private:
    void layer(const PackedLayer& layer, const uint8_t* from, uint32_t windows, uint8_t* to) const {
        functions_.dense(dense_job(layer, from, windows, layer.inputs, to, layer.outputs));
    }

    /// An example's rows up to what is pooled of them: 2 x k_pools x read bytes.
    void read_rows(const uint8_t* rows, uint32_t count, uint8_t* pooled) {
        const uint32_t conv1_channels = weights_.conv1.outputs;
        const uint32_t conv2_channels = weights_.conv2.outputs;
        const uint32_t row_inputs = weights_.read.inputs;
        uint32_t members[k_pools] = {};
        for (uint32_t r = 0; r < count; ++r) {
            const uint8_t* const row = rows + size_t{r} * k_row_bytes;
            const uint8_t* const features = row + k_columns * k_channels;
            uint8_t* const inputs = scratch_.read_inputs.data() + size_t{r} * row_inputs;
            functions_.dense(dense_job(weights_.conv1, row, k_conv1_positions, k_stride * k_channels,
                                       scratch_.conv1.data(), conv1_channels));
            functions_.dense(dense_job(weights_.conv2, scratch_.conv1.data(), k_conv2_positions,
                                       k_stride * conv1_channels, inputs, conv2_channels));
            std::memcpy(inputs + size_t{k_conv2_positions} * conv2_channels, features, k_row_features);
            scratch_.pool[r] = static_cast<uint8_t>(pool_of(features[0]));
            ++members[scratch_.pool[r]];
        }
        layer(weights_.read, scratch_.read_inputs.data(), count, scratch_.read.data());
        pool(count, members, pooled);
    }

    void pool(uint32_t count, const uint32_t (&members)[k_pools], uint8_t* pooled) {
        const uint32_t channels = weights_.read.outputs;
        uint16_t* const sum = scratch_.pooled_sum.data();
        functions_.pool({scratch_.read.data(),
                         count,
                         channels,
                         scratch_.pool,
                         sum,
                         {pooled + channels, pooled + size_t{3} * channels, pooled + size_t{5} * channels}});
        for (uint32_t group = 0; group < k_pools; ++group) {
            const uint32_t factor = reciprocal(members[group]);
            for (uint32_t c = 0; c < channels; ++c)
                pooled[2 * group * channels + c] = mean(sum[group * channels + c], factor);
        }
    }

    const LaneFunctions& functions_;
    const PackedWeights& weights_;
    Scratch& scratch_;
};

void run(const LaneFunctions& functions, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
         std::vector<int32_t>& output) {
    static thread_local Scratch scratch;
    output.resize(batch.size() * k_outputs);
    if (batch.size() == 0) return;
    if (weights.packed == nullptr) scratch.packed = pack(weights);
    Network network(functions, weights.packed != nullptr ? *weights.packed : scratch.packed, scratch);
    for (size_t begin = 0; begin < batch.size(); begin += k_block_examples) {
        const auto count = static_cast<uint32_t>(std::min<size_t>(k_block_examples, batch.size() - begin));
        network.run(batch, begin, count, output.data() + begin * k_outputs);
    }
}

}  // namespace

void pileup_network_sse42(Stream&, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                          std::vector<int32_t>& output) {
    run(sse42::k_pileup_lanes, weights, batch, output);
}

void pileup_network_avx2(Stream&, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                         std::vector<int32_t>& output) {
    run(avx2::k_pileup_lanes, weights, batch, output);
}

void pileup_network_avx512(Stream&, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                           std::vector<int32_t>& output) {
    run(avx512::k_pileup_lanes, weights, batch, output);
}

}  // namespace gannet::kernels
