// SPDX-License-Identifier: MIT
// Provides where the arrays of a planned batch of pair_hmm lie in the memory of a device, and in the pinned
// memory that is copied to and from it.
#pragma once

#include "kernels/cuda/layout.hpp"
#include "kernels/pair_hmm/pair_hmm_plan.hpp"
#include "kernels/pair_hmm/pair_hmm_tuning.hpp"

#include <algorithm>
#include <cstdint>

namespace gannet::kernels::pair_hmm {

/// Inputs are bytes [0, input_bytes), the results end at result_bytes; a device's scratch lies behind
/// `bytes`.
struct BatchSections {
    cuda::Section<WarpPair> pairs;
    cuda::Section<uint32_t> bases, haplotypes;
    cuda::Section<Tables<float>> tables;
    cuda::Section<int32_t> likelihood;
    uint64_t input_bytes = 0;
    uint64_t result_bytes = 0;
    uint64_t bytes = 0;

    explicit BatchSections(const WarpPlan& plan) {
        cuda::Layout layout;
        pairs = layout.add(plan.pairs());
        bases = layout.add(plan.bases());
        haplotypes = layout.add(plan.haplotypes());
        tables = layout.add<Tables<float>>(1);
        input_bytes = layout.bytes();
        likelihood = layout.add<int32_t>(plan.pairs().size());
        result_bytes = input_bytes + plan.pairs().size() * sizeof(int32_t);
        bytes = layout.bytes();
    }

    void fill_inputs(void* block, const WarpPlan& plan) const {
        cuda::fill(block, pairs, plan.pairs());
        cuda::fill(block, bases, plan.bases());
        cuda::fill(block, haplotypes, plan.haplotypes());
        cuda::fill(block, tables, &k_tables<float>);
    }

    WarpArrays in(void* block) const {
        return {pairs.in(block),  bases.in(block),      haplotypes.in(block),
                tables.in(block), likelihood.in(block), static_cast<uint32_t>(pairs.count)};
    }
};

/// Of a block of warps.
inline uint64_t block_scratch_bytes(const WarpPlan& plan) { return k_warps_per_block * plan.scratch_bytes(); }
inline uint64_t wanted_scratch_bytes(const WarpPlan& plan, uint64_t blocks) {
    return std::min<uint64_t>(blocks, k_max_warps / k_warps_per_block) * block_scratch_bytes(plan);
}

}  // namespace gannet::kernels::pair_hmm
