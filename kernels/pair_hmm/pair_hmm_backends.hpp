// SPDX-License-Identifier: MIT
// Provides the backends of the op pair_hmm by name; callers go through pair_hmm_function().
#pragma once

#include "kernels/pair_hmm/pair_hmm.hpp"

namespace gannet::kernels {

void pair_hmm_reference(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood);
void pair_hmm_avx2(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood);
void pair_hmm_avx512(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood);

}  // namespace gannet::kernels
