// SPDX-License-Identifier: MIT
// Provides where the arrays of a batch of the op candidates lie in the memory of a device, and in the pinned
// memory that is copied to and from it.
#pragma once

#include "kernels/candidates/candidates_plan.hpp"
#include "kernels/candidates/candidates_tuning.hpp"
#include "kernels/cuda/layout.hpp"
#include "kernels/reads/read_sections.hpp"

#include <algorithm>
#include <cstdint>

namespace gannet::kernels::candidates {

/// Memory of the warps of a block in the device's scratch.
inline constexpr uint64_t k_block_scratch_bytes = k_warps_per_block * sizeof(WarpScratch);

constexpr uint64_t wanted_scratch_bytes(uint64_t blocks) {
    return std::min<uint64_t>(blocks, k_max_warps / k_warps_per_block) * k_block_scratch_bytes;
}

/// Inputs are bytes [0, input_bytes), then counters up to counter_bytes, then results up to bytes; a device's
/// scratch lies behind.
struct BatchSections {
    ReadSections reads;
    cuda::Section<uint64_t> hit_begin, hit_end, hits;
    cuda::Section<unsigned long long> counters;
    cuda::Section<ReadOutcome> outcomes;
    cuda::Section<Candidate> found;
    cuda::Section<ExtensionJob> jobs;
    uint64_t input_bytes = 0;
    uint64_t counter_bytes = 0;
    uint64_t bytes = 0;

    BatchSections(const ReadBatchView& batch, const SeedHitsView& seed_hits) {
        uint64_t hit_count = 0;
        for (uint32_t read = 0; read < batch.reads; ++read)
            hit_count = std::max(hit_count, seed_hits.hit_end[read]);
        const ResultRoom room = result_room(batch.reads);
        cuda::Layout layout;
        reads = ReadSections(layout, batch, true);
        hit_begin = layout.add<uint64_t>(batch.reads);
        hit_end = layout.add<uint64_t>(batch.reads);
        hits = layout.add<uint64_t>(hit_count);
        input_bytes = layout.bytes();
        counters = layout.add<unsigned long long>(2);
        counter_bytes = layout.bytes();
        outcomes = layout.add<ReadOutcome>(batch.reads);
        found = layout.add<Candidate>(room.candidates);
        jobs = layout.add<ExtensionJob>(room.jobs);
        bytes = layout.bytes();
    }

    void fill_inputs(void* block, const ReadBatchView& batch, const SeedHitsView& seed_hits) const {
        reads.fill(block, batch);
        cuda::fill(block, hit_begin, seed_hits.hit_begin);
        cuda::fill(block, hit_end, seed_hits.hit_end);
        cuda::fill(block, hits, seed_hits.hits);
    }

    /// The arrays in a block of the device or of the host.
    CandidateArrays in(void* block, const CandidateParameters& parameters, const GenomeView& genome) const {
        CandidateArrays arrays;
        arrays.parameters = parameters;
        arrays.genome = genome;
        arrays.reads = reads.in(block);
        arrays.hits.reads = arrays.reads.reads;
        arrays.hits.hit_begin = hit_begin.in(block);
        arrays.hits.hit_end = hit_end.in(block);
        arrays.hits.hits = hits.in(block);
        arrays.outcomes = outcomes.in(block);
        arrays.candidates = found.in(block);
        arrays.jobs = jobs.in(block);
        arrays.candidate_room = found.count;
        arrays.job_room = jobs.count;
        arrays.counters = counters.in(block);
        return arrays;
    }
};

}  // namespace gannet::kernels::candidates
