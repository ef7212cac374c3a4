// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of the op find_candidates: the device schedules of its steps, run on the
// host.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/find_candidates/find_candidates_backends.hpp"
#include "kernels/find_candidates/find_candidates_plan.hpp"
#include "kernels/seeds/seeds_backends.hpp"

#include <vector>

namespace gannet::kernels {

namespace {

/// So little room that batches of reads of repeats do not get all they need.
constexpr find_candidates::HitRoom k_emulated_room{24, 256};

/// What a device would have, with what earlier batches left there.
struct Memory {
    std::vector<uint64_t> hits, hit_begin, hit_end;
    std::vector<DistinctPart> parts;
    std::vector<uint32_t> complete_seeds, part_begin, part_end;
    std::vector<uint8_t> narrowed;
    std::vector<candidates::ReadOutcome> outcomes;
    std::vector<Candidate> found;
    std::vector<ExtensionJob> jobs;

    void resize(const find_candidates::Plan& plan, uint32_t reads) {
        hits.resize(plan.hits);
        parts.resize(plan.parts);
        found.resize(plan.candidates);
        jobs.resize(plan.jobs);
        for (auto* each : {&hit_begin, &hit_end}) each->resize(reads);
        for (auto* each : {&complete_seeds, &part_begin, &part_end}) each->resize(reads);
        narrowed.resize(reads);
        outcomes.resize(reads);
    }
};

}  // namespace

void find_candidates_emulated(Stream&, const CandidateParameters& parameters, const SeedIndexView& index,
                              const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found) {
    find_candidates::check(parameters, index, reads);
    const find_candidates::Plan plan = find_candidates::make_plan(reads, index.kmer, k_emulated_room);
    static thread_local Memory memory;
    memory.resize(plan, reads.reads);
    unsigned long long seeds_taken[2] = {0, 0};
    unsigned long long candidates_taken[2] = {0, 0};
    const seeds::Job seeding{
        index,
        genome,
        reads,
        {memory.hits.data(), memory.parts.data(), plan.hits, plan.parts, seeds_taken, seeds_taken + 1},
        {memory.hit_begin.data(), memory.hit_end.data(), memory.complete_seeds.data(),
         memory.part_begin.data(), memory.part_end.data(), memory.narrowed.data()},
        plan.seed_capacity,
        candidates::k_warp_read_bp};
    const candidates::CandidateArrays search{
        parameters,
        genome,
        reads,
        {reads.reads, memory.hit_begin.data(), memory.hit_end.data(), memory.hits.data()},
        memory.outcomes.data(),
        memory.found.data(),
        memory.jobs.data(),
        plan.candidates,
        plan.jobs,
        candidates_taken};
    seeds::run_warps(seeding);
    candidates::run_warps(search);
    find_candidates::collect(seeding, search, found);
}

}  // namespace gannet::kernels
