// SPDX-License-Identifier: MIT
// Provides the host's side of the device form of the op find_candidates: the size of its memory, and what the
// warps of both steps left put in the order of the reads.
#pragma once

#include "kernels/candidates/candidates_warps.hpp"
#include "kernels/find_candidates/find_candidates.hpp"
#include "kernels/seeds/seeds_warps.hpp"

#include <cstdint>

namespace gannet::kernels::find_candidates {

/// Sizes for a batch. What is of all reads together is a pool: a read for which nothing is left is done by
/// the host.
struct Plan {
    uint32_t seed_capacity = 1;  ///< of a warp's SeedArrays
    uint64_t hits = 0;
    uint32_t parts = 0;
    uint32_t candidates = 0;
    uint32_t jobs = 0;
};

/// Entries of the pools that have results. Of each, what was used lies at the beginning.
struct PoolCounts {
    uint64_t parts = 0;
    uint64_t candidates = 0;
    uint64_t jobs = 0;
};

/// What the warps claim from: of hits, parts, candidates and jobs; also beyond the room of a pool.
inline constexpr uint32_t k_counters = 4;
PoolCounts used_of(const Plan& plan, const unsigned long long* counters);

/// How much of the pools is copied from a device before it is known how much a batch used: by what the
/// batches before it on its stream used for each read, and an eighth more. A batch that used more than that
/// has the rest copied behind it, as the first one has all. Changes speed, never a result.
class PoolForecast {
  public:
    PoolCounts of(const Plan& plan, uint32_t reads) const;
    /// After each batch.
    void add(const PoolCounts& used, uint32_t reads);

  private:
    PoolCounts per_read_;  ///< in 2^-16; grows at once, and shrinks by an eighth a batch
};

/// Room for hits: of the average read of a batch, and beside that for some reads of repeats.
struct HitRoom {
    uint32_t per_read = 0;
    uint32_t spare = 0;
};

/// Most reads have one or two candidates, one in ten an extension, and parts only those that seeds were
/// narrowed of.
Plan make_plan(const ReadBatchView& reads, uint32_t kmer, HitRoom room);

/// Puts together what the warps left in the arrays of both steps (of the host; hits are not looked at), and
/// does what they left undone.
void collect(const seeds::Job& seeding, const candidates::CandidateArrays& search, FoundCandidates& found);

}  // namespace gannet::kernels::find_candidates
