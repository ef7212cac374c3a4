// SPDX-License-Identifier: MIT
// Provides where the arrays of a batch of the op seeds lie in the memory of a device, and in the pinned
// memory that is copied to and from it.
#pragma once

#include "kernels/cuda/layout.hpp"
#include "kernels/reads/read_sections.hpp"
#include "kernels/seeds/seeds_plan.hpp"
#include "kernels/seeds/seeds_tuning.hpp"

#include <algorithm>
#include <cstdint>

namespace gannet::kernels::seeds {

/// Inputs are bytes [0, input_bytes), then counters up to counter_bytes, then results up to bytes; a device's
/// scratch lies behind.
struct BatchSections {
    Plan plan;
    ReadSections reads;
    cuda::Section<unsigned long long> taken;
    cuda::Section<uint64_t> hit_begin, hit_end, hits;
    cuda::Section<uint32_t> complete_seeds, part_begin, part_end;
    cuda::Section<uint8_t> narrowed;
    cuda::Section<DistinctPart> parts;
    uint64_t input_bytes = 0;
    uint64_t counter_bytes = 0;
    uint64_t bytes = 0;

    BatchSections(const ReadBatchView& batch, uint32_t kmer)
        : plan(make_plan(batch, kmer, k_device_hits_per_read)) {
        cuda::Layout layout;
        reads = ReadSections(layout, batch, false);
        input_bytes = layout.bytes();
        taken = layout.add<unsigned long long>(2);
        counter_bytes = layout.bytes();
        hit_begin = layout.add<uint64_t>(batch.reads);
        hit_end = layout.add<uint64_t>(batch.reads);
        complete_seeds = layout.add<uint32_t>(batch.reads);
        part_begin = layout.add<uint32_t>(batch.reads);
        part_end = layout.add<uint32_t>(batch.reads);
        narrowed = layout.add<uint8_t>(batch.reads);
        parts = layout.add<DistinctPart>(plan.part_capacity);
        hits = layout.add<uint64_t>(plan.hit_capacity);
        bytes = layout.bytes();
    }

    uint64_t warp_bytes() const { return SeedArrays::bytes(plan.seed_capacity); }
    uint64_t block_bytes() const { return k_warps_per_block * warp_bytes(); }
    /// Whether the seeds of a block's warps are in shared memory, so that it needs no scratch.
    bool is_shared() const { return block_bytes() <= k_max_shared_bytes; }
    uint64_t least_scratch_bytes() const { return is_shared() ? 0 : block_bytes(); }
    uint64_t wanted_scratch_bytes(uint64_t blocks) const {
        return is_shared() ? 0 : std::min<uint64_t>(blocks, k_max_warps / k_warps_per_block) * block_bytes();
    }

    Pools pools_in(void* block) const {
        return {hits.in(block),     parts.in(block), plan.hit_capacity,
                plan.part_capacity, taken.in(block), taken.in(block) + 1};
    }
    ReadResults results_in(void* block) const {
        return {hit_begin.in(block),  hit_end.in(block),  complete_seeds.in(block),
                part_begin.in(block), part_end.in(block), narrowed.in(block)};
    }
};

}  // namespace gannet::kernels::seeds
