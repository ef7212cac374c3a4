// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of pileup_network: the device schedule, run on the host lane by lane.
#include "kernels/pileup_network/pileup_network_emulated.hpp"

#include "kernels/pileup_network/pileup_network_backends.hpp"
#include "kernels/pileup_network/pileup_network_schedule.hpp"

namespace gannet::kernels {

namespace {

using namespace pileup;

LayerView view(const PackedLayer& layer) {
    return {layer.inputs,      layer.outputs,           layer.weight.data(),
            layer.bias.data(), layer.multiplier.data(), layer.shift.data()};
}

}  // namespace

void pileup_network_emulated(Stream&, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                             std::vector<int32_t>& output) {
    const PackedWeights packed = pack(weights);
    const NetworkView network{view(packed.conv1), view(packed.conv2), view(packed.read),
                              view(packed.site1), view(packed.site2), view(packed.output)};
    const size_t rows = batch.rows.size() / k_row_bytes;
    std::vector<uint8_t> read(rows * network.read.outputs);
    RowScratch row_scratch;
    for (size_t r = 0; r < rows; ++r)
        read_row(NetworkWarp(static_cast<uint32_t>(r)), network, batch.rows.data() + r * k_row_bytes,
                 row_scratch, read.data() + r * network.read.outputs);
    output.resize(batch.size() * k_outputs);
    ExampleScratch scratch;
    for (size_t example = 0; example < batch.size(); ++example) {
        const size_t first = batch.row_offset[example];
        score_example(NetworkWarp(static_cast<uint32_t>(example)), network,
                      batch.rows.data() + first * k_row_bytes, read.data() + first * network.read.outputs,
                      batch.row_offset[example + 1] - batch.row_offset[example],
                      batch.sites.data() + example * k_site_bytes, scratch,
                      output.data() + example * k_outputs);
    }
}

}  // namespace gannet::kernels
