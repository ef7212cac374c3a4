// SPDX-License-Identifier: MIT
// Provides where the arrays of a batch of the op find_candidates lie in the memory of a device, and in the
// pinned memory that is copied to and from it.
#pragma once

#include "kernels/candidates/candidates_tuning.hpp"
#include "kernels/cuda/layout.hpp"
#include "kernels/find_candidates/find_candidates_plan.hpp"
#include "kernels/reads/read_sections.hpp"
#include "kernels/seeds/seeds_tuning.hpp"

#include <algorithm>
#include <cstdint>

namespace gannet::kernels::find_candidates {

/// Inputs are bytes [0, input_bytes), then counters and what has a place for each read up to pools_begin,
/// then the pools of results up to bytes. Only on the device there are hits behind them, up to device_bytes,
/// and then scratch.
struct BatchSections {
    Plan plan;
    ReadSections reads;
    cuda::Section<unsigned long long> counters;
    cuda::Section<uint32_t> complete_seeds, part_begin, part_end;
    cuda::Section<uint8_t> narrowed;
    cuda::Section<candidates::ReadOutcome> outcomes;
    cuda::Section<DistinctPart> parts;
    cuda::Section<Candidate> found;
    cuda::Section<ExtensionJob> jobs;
    cuda::Section<uint64_t> hit_begin, hit_end, hits;
    uint64_t input_bytes = 0;
    uint64_t pools_begin = 0;
    uint64_t bytes = 0;
    uint64_t device_bytes = 0;

    BatchSections(const ReadBatchView& batch, uint32_t kmer)
        : plan(make_plan(batch, kmer, {seeds::k_device_hits_per_read, seeds::k_device_spare_hits})) {
        cuda::Layout layout;
        reads = ReadSections(layout, batch, true);
        input_bytes = layout.bytes();
        counters = layout.add<unsigned long long>(k_counters);
        complete_seeds = layout.add<uint32_t>(batch.reads);
        part_begin = layout.add<uint32_t>(batch.reads);
        part_end = layout.add<uint32_t>(batch.reads);
        narrowed = layout.add<uint8_t>(batch.reads);
        outcomes = layout.add<candidates::ReadOutcome>(batch.reads);
        pools_begin = layout.bytes();
        parts = layout.add<DistinctPart>(plan.parts);
        found = layout.add<Candidate>(plan.candidates);
        jobs = layout.add<ExtensionJob>(plan.jobs);
        bytes = layout.bytes();
        hit_begin = layout.add<uint64_t>(batch.reads);
        hit_end = layout.add<uint64_t>(batch.reads);
        hits = layout.add<uint64_t>(plan.hits);
        device_bytes = layout.bytes();
    }

    /// Calls copy(begin, end) with the bytes of the entries [from, to) of each pool where there are any.
    template <class Copy>
    void each_in_pools(const PoolCounts& from, const PoolCounts& to, const Copy& copy) const {
        const auto one = [&copy]<class T>(const cuda::Section<T>& pool, uint64_t begin, uint64_t end) {
            if (begin < end) copy(pool.begin_bytes + begin * sizeof(T), pool.begin_bytes + end * sizeof(T));
        };
        one(parts, from.parts, to.parts);
        one(found, from.candidates, to.candidates);
        one(jobs, from.jobs, to.jobs);
    }

    // Scratch of both kernels, one after the other in the same memory.
    uint64_t seed_warp_bytes() const { return seeds::SeedArrays::bytes(plan.seed_capacity); }
    uint64_t seed_block_bytes() const { return seeds::k_warps_per_block * seed_warp_bytes(); }
    /// Whether the seeds of a block's warps are in shared memory, so that it needs no scratch.
    bool seeds_are_shared() const { return seed_block_bytes() <= seeds::k_max_shared_bytes; }
    static constexpr uint64_t search_block_bytes() {
        return candidates::k_warps_per_block * sizeof(candidates::WarpScratch);
    }
    /// Behind `bytes`, with the hits.
    uint64_t least_scratch_bytes() const { return scratch_bytes(1, 1); }
    uint64_t wanted_scratch_bytes() const { return scratch_bytes(seed_blocks(), search_blocks()); }
    /// Blocks of warps that work at the same time, at most.
    uint32_t seed_blocks() const {
        const uint32_t all = blocks(seeds::k_warps_per_block);
        return seeds_are_shared() ? all : std::min(all, seeds::k_max_warps / seeds::k_warps_per_block);
    }
    uint32_t search_blocks() const {
        return std::min(blocks(candidates::k_warps_per_block),
                        candidates::k_max_warps / candidates::k_warps_per_block);
    }

    /// What the kernels are given in a block of the device; in one of the host, what collect() is given.
    seeds::Job seeding_in(void* block, const SeedIndexView& index, const GenomeView& genome) const {
        return {index,
                genome,
                reads.in(block),
                {hits.in(block), parts.in(block), plan.hits, plan.parts, counters.in(block),
                 counters.in(block) + 1},
                {hit_begin.in(block), hit_end.in(block), complete_seeds.in(block), part_begin.in(block),
                 part_end.in(block), narrowed.in(block)},
                plan.seed_capacity,
                candidates::k_warp_read_bp};
    }
    candidates::CandidateArrays search_in(void* block, const CandidateParameters& parameters,
                                          const GenomeView& genome) const {
        const ReadBatchView in_block = reads.in(block);
        return {parameters,         genome,
                in_block,           {in_block.reads, hit_begin.in(block), hit_end.in(block), hits.in(block)},
                outcomes.in(block), found.in(block),
                jobs.in(block),     plan.candidates,
                plan.jobs,          counters.in(block) + 2};
    }

  private:
    uint32_t blocks(uint32_t warps) const {
        return static_cast<uint32_t>((reads.length.count + warps - 1) / warps);
    }
    uint64_t scratch_bytes(uint64_t of_seeding, uint64_t of_search) const {
        return device_bytes - bytes +
               std::max(seeds_are_shared() ? 0 : of_seeding * seed_block_bytes(),
                        of_search * search_block_bytes());
    }
};

}  // namespace gannet::kernels::find_candidates
