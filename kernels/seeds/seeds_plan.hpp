// SPDX-License-Identifier: MIT
// Provides the host's side of the device form of the op seeds: the size of its memory, and the results in the
// order of the reads.
#pragma once

#include "kernels/seeds/seeds_warps.hpp"

#include <cstdint>

namespace gannet::kernels::seeds {

/// Sizes for a batch.
struct Plan {
    uint32_t seed_capacity = 1;  ///< of a warp's SeedArrays
    uint64_t hit_capacity = 0;
    uint32_t part_capacity = 0;
};

/// Room for `hits_per_read` hits and a quarter as many parts a read, and for some reads of repeats.
Plan make_plan(const ReadBatchView& reads, uint32_t kmer, uint32_t hits_per_read);

/// Puts what the warps wrote in order. Reads without room are seeded here, in lock-step.
void assemble(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
              const Pools& pools, const ReadResults& results, SeedHits& out);

}  // namespace gannet::kernels::seeds
