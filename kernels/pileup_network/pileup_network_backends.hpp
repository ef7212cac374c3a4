// SPDX-License-Identifier: MIT
// Provides the backends of the op pileup_network by name; callers go through pileup_network_function().
#pragma once

#include "kernels/pileup_network/pileup_network.hpp"

namespace gannet::kernels {

void pileup_network_reference(Stream&, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                              std::vector<int32_t>& output);
void pileup_network_emulated(Stream&, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                             std::vector<int32_t>& output);
void pileup_network_cuda(Stream& stream, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                         std::vector<int32_t>& output);
void pileup_network_sse42(Stream&, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                          std::vector<int32_t>& output);
void pileup_network_avx2(Stream&, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                         std::vector<int32_t>& output);
void pileup_network_avx512(Stream&, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                           std::vector<int32_t>& output);

}  // namespace gannet::kernels
