// SPDX-License-Identifier: MIT
// Provides what goes between the driver of the vector backends of pileup_network and the code of one
// instruction set: one layer or one pooling at a time, as plain data.
#pragma once

#include "kernels/pileup_network/pileup_network_packed.hpp"

#include <cstdint>

namespace gannet::kernels::pileup {

/// One layer over windows that begin window_bytes apart (they may overlap); weights as in PackedLayer.
struct DenseJob {
    const uint8_t* from;
    uint32_t windows;
    uint32_t window_bytes;
    uint32_t inputs;
    uint32_t outputs;
    const int8_t* weights;
    const int32_t* bias;
    const int32_t* limit;
    const double* scale;
    uint8_t* to;            ///< `outputs` bytes per window
    uint32_t output_bytes;  ///< from window to window
};

/// Rows of one example, in k_pools pools.
struct PoolJob {
    const uint8_t* from;  ///< rows x channels
    uint32_t rows;
    uint32_t channels;
    const uint8_t* pool;        ///< of each row: below k_pools
    uint16_t* sum;              ///< k_pools x channels
    uint8_t* highest[k_pools];  ///< channels each
};

struct LaneFunctions {
    void (*dense)(const DenseJob&);
    /// Sums of the layer's first block, before requantisation: windows x k_block.
    void (*sum_block)(const DenseJob&, int32_t* sums);
    void (*pool)(const PoolJob&);
};

}  // namespace gannet::kernels::pileup

namespace gannet::kernels::sse42 {
extern const pileup::LaneFunctions k_pileup_lanes;
}
namespace gannet::kernels::avx2 {
extern const pileup::LaneFunctions k_pileup_lanes;
}
namespace gannet::kernels::avx512 {
extern const pileup::LaneFunctions k_pileup_lanes;
}
