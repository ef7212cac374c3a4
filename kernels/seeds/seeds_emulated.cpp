// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of the op seeds: the device schedule, run on the host lane by lane.
#include "kernels/seeds/seeds_backends.hpp"
#include "kernels/seeds/seeds_plan.hpp"
#include "kernels/seeds/seeds_schedule.hpp"

#include <vector>

namespace gannet::kernels {

namespace {

using namespace seeds;

/// So little room that batches of reads of repeats do not get all they need.
constexpr uint32_t k_emulated_hits_per_read = 24;

/// What a device would have.
struct Memory {
    std::vector<uint64_t> hits, hit_begin, hit_end, arrays;
    std::vector<DistinctPart> parts;
    std::vector<uint32_t> complete_seeds, part_begin, part_end;
    std::vector<uint8_t> narrowed;
    unsigned long long hits_taken = 0;
    unsigned long long parts_taken = 0;
};

}  // namespace

void seeds_emulated(Stream&, const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                    SeedHits& out) {
    check(index);
    const Plan plan = make_plan(reads, index.kmer, k_emulated_hits_per_read);
    static thread_local Memory memory;
    memory.hits.resize(plan.hit_capacity);
    memory.parts.resize(plan.part_capacity);
    for (auto* each : {&memory.hit_begin, &memory.hit_end}) each->resize(reads.reads);
    for (auto* each : {&memory.complete_seeds, &memory.part_begin, &memory.part_end})
        each->resize(reads.reads);
    memory.narrowed.resize(reads.reads);
    memory.arrays.resize(SeedArrays::bytes(plan.seed_capacity) / sizeof(uint64_t));
    memory.hits_taken = memory.parts_taken = 0;
    Job job{index, genome, reads, {}, {}, plan.seed_capacity};
    job.pools = {memory.hits.data(), memory.parts.data(), plan.hit_capacity,
                 plan.part_capacity, &memory.hits_taken,  &memory.parts_taken};
    job.results = {memory.hit_begin.data(),  memory.hit_end.data(),  memory.complete_seeds.data(),
                   memory.part_begin.data(), memory.part_end.data(), memory.narrowed.data()};
    const SeedArrays arrays = SeedArrays::in(
        memory.arrays.data(), reinterpret_cast<uint32_t*>(memory.arrays.data() + plan.seed_capacity),
        plan.seed_capacity);
    const HostWarp warp;
    WarpScratch scratch;
    // Backwards, as warps need not come in the order of the reads.
    for (uint32_t read = reads.reads; read-- > 0;)
        WarpSeeder<HostWarp>(warp, job, arrays, scratch, read).run();
    assemble(index, genome, reads, job.pools, job.results, out);
}

}  // namespace gannet::kernels
