// SPDX-License-Identifier: MIT
// Provides the host's side of the device form of the op seeds.
#include "kernels/seeds/seeds_plan.hpp"

#include "kernels/seeds/seeds_driver.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace gannet::kernels::seeds {

Plan make_plan(const ReadBatchView& reads, uint32_t kmer, uint32_t hits_per_read) {
    constexpr uint64_t k_spare_hits = 4096;
    Plan plan;
    for (uint32_t read = 0; read < reads.reads; ++read) {
        const uint32_t length = reads.length[read];
        if (length >= kmer && length <= k_seeds_max_read)
            plan.seed_capacity = std::max(plan.seed_capacity, length - kmer + 1);
    }
    plan.hit_capacity = uint64_t{reads.reads} * hits_per_read + k_spare_hits;
    plan.part_capacity = static_cast<uint32_t>(
        std::min<uint64_t>(plan.hit_capacity / 4, std::numeric_limits<uint32_t>::max()));
    return plan;
}

void assemble(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
              const Pools& pools, const ReadResults& results, SeedHits& out) {
    const uint32_t count = reads.reads;
    std::vector<uint32_t> without_room;
    for (uint32_t read = 0; read < count; ++read) {
        if (results.hit_begin[read] == k_no_room) without_room.push_back(read);
    }
    SeedHits rest;  // of the reads without room, one behind the other
    rest.clear();
    seed_in_lockstep(index, genome, reads, without_room,
                     [&rest](uint32_t, std::span<const uint64_t> hits, std::span<const DistinctPart> parts,
                             LockstepSeeder::Found) {
                         rest.hits.insert(rest.hits.end(), hits.begin(), hits.end());
                         rest.parts.insert(rest.parts.end(), parts.begin(), parts.end());
                         rest.hit_offset.push_back(rest.hits.size());
                         rest.part_offset.push_back(static_cast<uint32_t>(rest.parts.size()));
                     });
    out.clear();
    out.complete_seeds.assign(results.complete_seeds, results.complete_seeds + count);
    out.narrowed.assign(results.narrowed, results.narrowed + count);
    size_t next = 0;
    for (uint32_t read = 0; read < count; ++read) {
        if (results.hit_begin[read] != k_no_room) {
            out.hits.insert(out.hits.end(), pools.hits + results.hit_begin[read],
                            pools.hits + results.hit_end[read]);
            out.parts.insert(out.parts.end(), pools.parts + results.part_begin[read],
                             pools.parts + results.part_end[read]);
        } else {
            const auto at = [](auto& values, uint64_t i) {
                return values.begin() + static_cast<std::ptrdiff_t>(i);
            };
            out.hits.insert(out.hits.end(), at(rest.hits, rest.hit_offset[next]),
                            at(rest.hits, rest.hit_offset[next + 1]));
            out.parts.insert(out.parts.end(), at(rest.parts, rest.part_offset[next]),
                             at(rest.parts, rest.part_offset[next + 1]));
            ++next;
        }
        out.hit_offset.push_back(out.hits.size());
        out.part_offset.push_back(static_cast<uint32_t>(out.parts.size()));
    }
}

}  // namespace gannet::kernels::seeds
