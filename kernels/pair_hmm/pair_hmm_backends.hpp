// SPDX-License-Identifier: MIT
// Provides the backends of the op pair_hmm by name; callers go through pair_hmm_function().
#pragma once

#include "kernels/pair_hmm/pair_hmm.hpp"

namespace gannet::kernels {

void pair_hmm_reference(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood);
void pair_hmm_avx2(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood);
void pair_hmm_avx512(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood);
void pair_hmm_emulated(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood);
void pair_hmm_cuda(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood);

/// The likelihoods of these pairs in fp64, by the highest level of the CPU and by the reference.
void pair_hmm_rescue(const PairHmmBatch& batch, std::span<const uint32_t> pairs,
                     std::vector<int32_t>& likelihood);
void pair_hmm_rescue_reference(const PairHmmBatch& batch, std::span<const uint32_t> pairs,
                               std::vector<int32_t>& likelihood);

}  // namespace gannet::kernels
