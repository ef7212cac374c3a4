// SPDX-License-Identifier: MIT
// Provides the device schedule of pileup_network: what one warp does for a row, and for an example whose rows
// have been read.
//
// Both are sequences of phases. In a phase every lane makes outputs of its own (outputs of all windows, dealt
// round), from what earlier phases left in the warp's scratch; lanes never speak to each other within one.
// Four inputs and four weights are a word. Lanes of a word of weights are neighbours (PackedLayer), and lanes
// of one window read the same word of inputs.
//
// A Warp offers each(f): f(lane) for its 32 lanes, whatever their order, and a barrier; word(p): the 32-bit
// word at p, which is aligned to 4 bytes; dot(inputs, weights, sum): sum and four products of unsigned and
// signed bytes. All functions are constexpr, so that nvcc --expt-relaxed-constexpr takes them for the device.
#pragma once

#include "kernels/pileup_network/pileup_network.hpp"
#include "kernels/pileup_network/pileup_network_cell.hpp"
#include "kernels/pileup_network/pileup_network_packed.hpp"
#include "kernels/warp.hpp"

#include <cstdint>

namespace gannet::kernels::pileup {

inline constexpr uint32_t k_max_conv_channels = 64;
inline constexpr uint32_t k_max_read_channels = 128;
inline constexpr uint32_t k_max_site_channels = 256;

/// A PackedLayer where the warps can read it.
struct LayerView {
    uint32_t inputs = 0;
    uint32_t outputs = 0;
    const int8_t* weight = nullptr;
    const int32_t* bias = nullptr;
    const int32_t* multiplier = nullptr;
    const int32_t* shift = nullptr;
};

struct NetworkView {
    LayerView conv1, conv2, read, site1, site2, output;
};

/// What all warps of a device see.
struct NetworkArrays {
    NetworkView network;
    const uint8_t* rows;
    const uint32_t* row_offset;
    const uint8_t* sites;
    uint8_t* read;  ///< of each row the outputs of the layer `read`
    int32_t* output;
    uint32_t row_count;
    uint32_t examples;
};

/// Scratch of a warp that reads a row.
struct RowScratch {
    alignas(4) uint8_t row[k_row_bytes];
    alignas(4) uint8_t conv1[k_conv1_positions * k_max_conv_channels];
    alignas(4) uint8_t read_inputs[k_conv2_positions * k_max_conv_channels + k_row_features];
};

/// Scratch of a warp that scores an example.
struct ExampleScratch {
    alignas(4) uint8_t site_inputs[2 * k_pools * k_max_read_channels + k_site_bytes];
    alignas(4) uint8_t site1[k_max_site_channels];
    alignas(4) uint8_t site2[k_max_site_channels];
};

template <class Warp>
constexpr int32_t layer_sum(const Warp& warp, const LayerView& layer, const uint8_t* inputs,
                            uint32_t output) {
    const uint32_t quads = layer.inputs / 4;
    const int8_t* weight =
        layer.weight + (uint64_t{output / k_block} * quads * k_block + output % k_block) * 4;
    int32_t sum = layer.bias[output];
    for (uint32_t quad = 0; quad < quads; ++quad, weight += 4 * k_block)
        sum = warp.dot(warp.word(inputs + 4 * quad), warp.word(weight), sum);
    return sum;
}

/// One phase: the layer over `windows` windows of inputs that lie window_bytes apart; outputs side by side.
template <class Warp>
constexpr void layer_phase(const Warp& warp, const LayerView& layer, const uint8_t* from, uint32_t windows,
                           uint32_t window_bytes, uint8_t* to) {
    warp.each([&](uint32_t lane) {
        for (uint32_t index = lane; index < windows * layer.outputs; index += k_warp_lanes) {
            const uint32_t window = index / layer.outputs;
            const uint32_t output = index % layer.outputs;
            const int32_t sum = layer_sum(warp, layer, from + window * window_bytes, output);
            to[index] = activation(sum, layer.multiplier[output], layer.shift[output]);
        }
    });
}

/// From a row to its layer `read`.
template <class Warp>
constexpr void read_row(const Warp& warp, const NetworkView& network, const uint8_t* row, RowScratch& scratch,
                        uint8_t* to) {
    const uint32_t features_begin = k_conv2_positions * network.conv2.outputs;
    warp.each([&](uint32_t lane) {
        for (uint32_t i = lane; i < k_row_bytes; i += k_warp_lanes) scratch.row[i] = row[i];
        for (uint32_t i = lane; i < k_row_features; i += k_warp_lanes)
            scratch.read_inputs[features_begin + i] = row[k_columns * k_channels + i];
    });
    layer_phase(warp, network.conv1, scratch.row, k_conv1_positions, k_stride * k_channels, scratch.conv1);
    layer_phase(warp, network.conv2, scratch.conv1, k_conv2_positions, k_stride * network.conv1.outputs,
                scratch.read_inputs);
    layer_phase(warp, network.read, scratch.read_inputs, 1, 0, to);
}

/// Pools the rows of an example: `rows` as the batch holds them, `read` their layer `read`.
template <class Warp>
constexpr void pool_phase(const Warp& warp, uint32_t channels, const uint8_t* rows, const uint8_t* read,
                          uint32_t count, const uint8_t* site, uint8_t* to) {
    warp.each([&](uint32_t lane) {
        for (uint32_t channel = lane; channel < channels; channel += k_warp_lanes) {
            uint32_t members[k_pools] = {0, 0, 0};
            uint32_t sum[k_pools] = {0, 0, 0};
            uint32_t highest[k_pools] = {0, 0, 0};
            for (uint32_t r = 0; r < count; ++r) {
                const uint32_t pool = pool_of(rows[uint64_t{r} * k_row_bytes + k_columns * k_channels]);
                const uint32_t value = read[uint64_t{r} * channels + channel];
                // All pools are kept in registers: no index that is known only at run time.
                for (uint32_t group = 0; group < k_pools; ++group) {
                    const bool inside = pool == group;
                    members[group] += inside ? 1 : 0;
                    sum[group] += inside ? value : 0;
                    highest[group] = inside && value > highest[group] ? value : highest[group];
                }
            }
            for (uint32_t group = 0; group < k_pools; ++group) {
                to[2 * group * channels + channel] = mean(sum[group], reciprocal(members[group]));
                to[(2 * group + 1) * channels + channel] = static_cast<uint8_t>(highest[group]);
            }
        }
        for (uint32_t i = lane; i < k_site_bytes; i += k_warp_lanes) to[2 * k_pools * channels + i] = site[i];
    });
}

/// From the rows' layer `read` and the site to the outputs of an example.
template <class Warp>
constexpr void score_example(const Warp& warp, const NetworkView& network, const uint8_t* rows,
                             const uint8_t* read, uint32_t count, const uint8_t* site,
                             ExampleScratch& scratch, int32_t* output) {
    pool_phase(warp, network.read.outputs, rows, read, count, site, scratch.site_inputs);
    layer_phase(warp, network.site1, scratch.site_inputs, 1, 0, scratch.site1);
    layer_phase(warp, network.site2, scratch.site1, 1, 0, scratch.site2);
    warp.each([&](uint32_t lane) {
        if (lane >= k_outputs) return;
        const LayerView& last = network.output;
        output[lane] =
            output_value(layer_sum(warp, last, scratch.site2, lane), last.multiplier[lane], last.shift[lane]);
    });
}

}  // namespace gannet::kernels::pileup
