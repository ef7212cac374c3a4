// SPDX-License-Identifier: MIT
// Provides the layout in which the fast backends of pileup_network read the weights.
//
// A layer's outputs are taken in blocks of k_block; the last is filled up with outputs whose weights, biases
// and multipliers are 0, so that they are 0. weight[((block * inputs / 4 + quad) * k_block +
// output in block) * 4 + byte] belongs to input 4 * quad + byte: four inputs of one output are a 32-bit word,
// and the words of a block's outputs are neighbours.
#pragma once

#include "kernels/pileup_network/pileup_network.hpp"

#include <cstdint>
#include <vector>

namespace gannet::kernels::pileup {

inline constexpr uint32_t k_block = 16;

struct PackedLayer {
    uint32_t inputs = 0;  ///< a multiple of 8
    uint32_t outputs = 0;
    uint32_t padded_outputs = 0;  ///< a multiple of k_block
    std::vector<int8_t> weight;
    std::vector<int32_t> bias, multiplier, shift;  ///< padded_outputs
    std::vector<int32_t> limit;  ///< padded_outputs: the least sum whose activation is 255, or 2^30
    std::vector<double> scale;   ///< padded_outputs: multiplier / 2^shift, which is exact

    uint32_t block_bytes() const { return inputs * k_block; }
};

struct PackedWeights {
    PackedLayer conv1, conv2, read, site1, site2, output;
};

PackedWeights pack(const PileupNetworkWeights& weights);

}  // namespace gannet::kernels::pileup
