// SPDX-License-Identifier: MIT
// Provides the laying out of weights for the fast backends of pileup_network.
#include "kernels/pileup_network/pileup_network_packed.hpp"

#include "kernels/pileup_network/pileup_network_cell.hpp"

namespace gannet::kernels {

namespace {

using namespace pileup;

/// The least sum whose activation is 255, so that a sum may be cut there without a change; 2^30 where no sum
/// reaches it.
int32_t saturating_sum(int32_t multiplier, int32_t shift) {
    const int64_t wanted = (int64_t{255} << shift) - (int64_t{1} << (shift - 1));
    const int64_t sum = (wanted + multiplier - 1) / multiplier;
    constexpr int64_t k_above_all_sums = 1 << 30;
    return static_cast<int32_t>(sum < k_above_all_sums ? sum : k_above_all_sums);
}

PackedLayer pack_layer(const QuantisedLayer& layer) {
    PackedLayer packed;
    packed.inputs = layer.inputs;
    packed.outputs = layer.outputs;
    packed.padded_outputs = (layer.outputs + k_block - 1) / k_block * k_block;
    packed.weight.assign(size_t{packed.padded_outputs} * layer.inputs, 0);
    for (auto* values : {&packed.bias, &packed.multiplier, &packed.limit})
        values->assign(packed.padded_outputs, 0);
    packed.shift.assign(packed.padded_outputs, 1);
    packed.scale.assign(packed.padded_outputs, 0);
    for (uint32_t k = 0; k < layer.outputs; ++k) {
        int8_t* const to = packed.weight.data() + size_t{k / k_block} * packed.block_bytes();
        for (uint32_t i = 0; i < layer.inputs; ++i)
            to[(i / 4 * k_block + k % k_block) * 4 + i % 4] = layer.weight[size_t{k} * layer.inputs + i];
        packed.bias[k] = layer.bias[k];
        packed.multiplier[k] = layer.multiplier[k];
        packed.shift[k] = layer.shift[k];
        packed.scale[k] = layer.multiplier[k] / static_cast<double>(int64_t{1} << layer.shift[k]);
        packed.limit[k] = saturating_sum(layer.multiplier[k], layer.shift[k]);
    }
    return packed;
}

}  // namespace

PackedWeights pileup::pack(const PileupNetworkWeights& weights) {
    return {pack_layer(weights.conv1), pack_layer(weights.conv2), pack_layer(weights.read),
            pack_layer(weights.site1), pack_layer(weights.site2), pack_layer(weights.output)};
}

void PileupNetworkWeights::prepare() {
    validate();
    packed = std::make_shared<const PackedWeights>(pack(*this));
}

}  // namespace gannet::kernels
