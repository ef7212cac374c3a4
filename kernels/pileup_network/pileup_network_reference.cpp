// SPDX-License-Identifier: MIT
// Provides the oracle of the op pileup_network: layer after layer as the contract says it, one product after
// another.
#include "kernels/pileup_network/pileup_network_backends.hpp"
#include "kernels/pileup_network/pileup_network_cell.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace gannet::kernels {

namespace {

using namespace pileup;
using Bytes = std::vector<uint8_t>;

int32_t sum_of(const QuantisedLayer& layer, uint32_t output, std::span<const uint8_t> inputs) {
    assert(inputs.size() == layer.inputs);
    int32_t sum = layer.bias[output];
    for (size_t i = 0; i < inputs.size(); ++i)
        sum += layer.weight[size_t{output} * layer.inputs + i] * inputs[i];
    return sum;
}

Bytes dense(const QuantisedLayer& layer, std::span<const uint8_t> inputs) {
    Bytes outputs(layer.outputs);
    for (uint32_t k = 0; k < layer.outputs; ++k)
        outputs[k] = activation(sum_of(layer, k, inputs), layer.multiplier[k], layer.shift[k]);
    return outputs;
}

/// The layer over windows of k_window positions of `channels` bytes each, k_stride positions apart.
Bytes convolve(const QuantisedLayer& layer, std::span<const uint8_t> map, uint32_t channels,
               uint32_t positions) {
    Bytes outputs;
    for (uint32_t p = 0; p < positions; ++p) {
        const size_t begin = size_t{p} * k_stride * channels;
        const Bytes window = dense(layer, map.subspan(begin, size_t{k_window} * channels));
        outputs.insert(outputs.end(), window.begin(), window.end());
    }
    return outputs;
}

Bytes read_of(const PileupNetworkWeights& weights, std::span<const uint8_t> row) {
    const Bytes first =
        convolve(weights.conv1, row.first(k_columns * k_channels), k_channels, k_conv1_positions);
    Bytes inputs = convolve(weights.conv2, first, weights.conv1.outputs, k_conv2_positions);
    const auto features = row.last(k_row_features);
    inputs.insert(inputs.end(), features.begin(), features.end());
    return dense(weights.read, inputs);
}

/// Mean and maximum by channel, zeros where there is no row.
void append_pooled(const std::vector<Bytes>& rows, uint32_t channels, Bytes& out) {
    const uint32_t factor = reciprocal(static_cast<uint32_t>(rows.size()));
    for (uint32_t c = 0; c < channels; ++c) {
        uint32_t sum = 0;
        for (const Bytes& row : rows) sum += row[c];
        out.push_back(mean(sum, factor));
    }
    for (uint32_t c = 0; c < channels; ++c) {
        uint8_t highest = 0;
        for (const Bytes& row : rows) highest = std::max(highest, row[c]);
        out.push_back(highest);
    }
}

}  // namespace

void pileup_network_reference(Stream&, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                              std::vector<int32_t>& output) {
    output.resize(batch.size() * k_outputs);
    for (size_t example = 0; example < batch.size(); ++example) {
        std::array<std::vector<Bytes>, k_pools> pools;
        for (uint32_t r = batch.row_offset[example]; r < batch.row_offset[example + 1]; ++r) {
            const std::span row(batch.rows.data() + size_t{r} * k_row_bytes, k_row_bytes);
            pools[pool_of(row[k_columns * k_channels])].push_back(read_of(weights, row));
        }
        Bytes inputs;
        for (const auto& pool : pools) append_pooled(pool, weights.read.outputs, inputs);
        const uint8_t* const site = batch.sites.data() + example * k_site_bytes;
        inputs.insert(inputs.end(), site, site + k_site_bytes);
        const Bytes last = dense(weights.site2, dense(weights.site1, inputs));
        for (uint32_t k = 0; k < k_outputs; ++k)
            output[example * k_outputs + k] = output_value(
                sum_of(weights.output, k, last), weights.output.multiplier[k], weights.output.shift[k]);
    }
}

}  // namespace gannet::kernels
