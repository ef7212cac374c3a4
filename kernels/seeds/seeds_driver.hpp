// SPDX-License-Identifier: MIT
// Provides seeding over any of the reads of a batch, in lock-step, for the backends that run on the
// host.
#pragma once

#include "kernels/seeds/seeds_lockstep.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::kernels::seeds {

/// Of one block after another; memory is kept.
struct BlockScratch {
    LockstepScratch seeds;
    std::vector<SeededRead> block;
    std::vector<uint8_t> codes;
};

/// Seeds reads `in_block` of the batch together, up to k_lockstep_reads; mates come one behind the other.
/// collect() of the seeder, which uses scratch.seeds, then gives what was found of each.
void seed_block(LockstepSeeder& seeder, const ReadBatchView& reads, std::span<const uint32_t> in_block,
                BlockScratch& scratch);

/// Appends the hits of the read at `index` of the block to `hits`, and all else to `notes`.
void collect(const LockstepSeeder& seeder, size_t index, std::vector<uint64_t>& hits, SeedNotes& notes);

/// Seeds reads `chosen` of the batch, in ascending order; `out` has them in this order, and no others.
void seed_in_lockstep(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                      std::span<const uint32_t> chosen, SeedHits& out);

}  // namespace gannet::kernels::seeds
