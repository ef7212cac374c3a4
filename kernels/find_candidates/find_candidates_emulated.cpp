// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of the op find_candidates: the device schedules of its steps, run on the
// host.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/find_candidates/find_candidates_backends.hpp"
#include "kernels/find_candidates/find_candidates_plan.hpp"
#include "kernels/seeds/seeds_backends.hpp"

#include <algorithm>
#include <vector>

namespace gannet::kernels {

namespace {

/// So little room that batches of reads of repeats do not get all they need.
constexpr find_candidates::HitRoom k_emulated_room{24, 256};

template <class T>
void copy_entries(const std::vector<T>& from, uint64_t begin, uint64_t end, std::vector<T>& to) {
    if (begin < end) std::copy(from.data() + begin, from.data() + end, to.data() + begin);
}

/// The pools of results, in the memory of a device or of the host.
struct Pools {
    std::vector<DistinctPart> parts;
    std::vector<Candidate> found;
    std::vector<ExtensionJob> jobs;

    void resize(const find_candidates::Plan& plan) {
        parts.resize(plan.parts);
        found.resize(plan.candidates);
        jobs.resize(plan.jobs);
    }
    void copy(const Pools& from, const find_candidates::PoolCounts& begin,
              const find_candidates::PoolCounts& end) {
        copy_entries(from.parts, begin.parts, end.parts, parts);
        copy_entries(from.found, begin.candidates, end.candidates, found);
        copy_entries(from.jobs, begin.jobs, end.jobs, jobs);
    }
};

/// What a device and a stream would have, with what earlier batches left there.
struct Memory {
    std::vector<uint64_t> hits, hit_begin, hit_end;
    std::vector<uint32_t> complete_seeds, part_begin, part_end;
    std::vector<uint8_t> narrowed;
    std::vector<candidates::ReadOutcome> outcomes;
    Pools pools, copied;
    find_candidates::PoolForecast forecast;

    void resize(const find_candidates::Plan& plan, uint32_t reads) {
        hits.resize(plan.hits);
        pools.resize(plan);
        copied.resize(plan);
        for (auto* each : {&hit_begin, &hit_end}) each->resize(reads);
        for (auto* each : {&complete_seeds, &part_begin, &part_end}) each->resize(reads);
        narrowed.resize(reads);
        outcomes.resize(reads);
    }
    /// Of the pools, in two steps, as a device does it.
    void copy_back(const find_candidates::Plan& plan, const unsigned long long* counters, uint32_t reads) {
        const find_candidates::PoolCounts expected = forecast.of(plan, reads);
        copied.copy(pools, {}, expected);
        const find_candidates::PoolCounts used = find_candidates::used_of(plan, counters);
        copied.copy(pools, expected, used);
        forecast.add(used, reads);
    }
};

}  // namespace

void find_candidates_emulated(Stream&, const CandidateParameters& parameters, const SeedIndexView& index,
                              const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found) {
    find_candidates::check(parameters, index, reads);
    const find_candidates::Plan plan = find_candidates::make_plan(reads, index.kmer, k_emulated_room);
    static thread_local Memory memory;
    memory.resize(plan, reads.reads);
    unsigned long long counters[find_candidates::k_counters] = {};
    seeds::Job seeding{
        index,
        genome,
        reads,
        {memory.hits.data(), memory.pools.parts.data(), plan.hits, plan.parts, counters, counters + 1},
        {memory.hit_begin.data(), memory.hit_end.data(), memory.complete_seeds.data(),
         memory.part_begin.data(), memory.part_end.data(), memory.narrowed.data()},
        plan.seed_capacity,
        candidates::k_warp_read_bp};
    candidates::CandidateArrays search{
        parameters,
        genome,
        reads,
        {reads.reads, memory.hit_begin.data(), memory.hit_end.data(), memory.hits.data()},
        memory.outcomes.data(),
        memory.pools.found.data(),
        memory.pools.jobs.data(),
        plan.candidates,
        plan.jobs,
        counters + 2};
    seeds::run_warps(seeding);
    candidates::run_warps(search);
    memory.copy_back(plan, counters, reads.reads);
    seeding.pools.parts = memory.copied.parts.data();
    search.candidates = memory.copied.found.data();
    search.jobs = memory.copied.jobs.data();
    find_candidates::collect(seeding, search, found);
}

}  // namespace gannet::kernels
