// SPDX-License-Identifier: MIT
// Provides seeding on the backend simd: the reads of a batch in blocks, in lock-step.
#include "kernels/seeds/seeds_driver.hpp"

#include "kernels/reads/packed_reads.hpp"
#include "kernels/seeds/seeds_backends.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace gannet::kernels {

namespace seeds {

void check(const SeedIndexView& index) {
    const uint32_t k = index.kmer;
    const uint32_t s = index.smer;
    if (k < 15 || k > 31 || k % 2 == 0 || s < 8 || s > 16 || k - s + 1 < 8 || k - s + 1 > 16)
        throw std::invalid_argument("seeds: k-mers of " + std::to_string(k) + " with s-mers of " +
                                    std::to_string(s));
}

namespace {

struct Scratch {
    BlockScratch block;
    std::vector<uint32_t> in_block;
};

/// The reads of a block: those of `chosen` from `next` on, with their mates. Returns the next one behind it.
size_t list_block(const ReadBatchView& reads, std::span<const uint32_t> chosen, size_t next,
                  std::vector<uint32_t>& block) {
    block.clear();
    while (next < chosen.size() && block.size() < k_lockstep_reads) {
        const uint32_t read = chosen[next];
        block.push_back(reads.paired ? read & ~uint32_t{1} : read);
        if (reads.has_mate(block.back())) block.push_back(block.back() + 1);
        while (next < chosen.size() && chosen[next] <= block.back()) ++next;
    }
    return next;
}

}  // namespace

void seed_block(LockstepSeeder& seeder, const ReadBatchView& reads, std::span<const uint32_t> in_block,
                BlockScratch& scratch) {
    size_t words = 0;
    for (const uint32_t read : in_block) words += strand_words(reads.length[read]);
    scratch.codes.resize(32 * words);
    scratch.block.clear();
    uint8_t* codes = scratch.codes.data();
    for (const uint32_t read : in_block) {
        const uint32_t length = reads.length[read];
        const bool is_ambiguous = reads.is_ambiguous(read);
        unpack_codes(reads.words(read, 0), is_ambiguous ? reads.mask_words(read, 0) : nullptr, length, codes);
        scratch.block.push_back({{codes, length}, reads.words(read, 0), is_ambiguous});
        codes += 32 * size_t{strand_words(length)};
    }
    seeder.find(scratch.block, reads.paired);
}

void collect(const LockstepSeeder& seeder, size_t index, std::vector<uint64_t>& hits, SeedNotes& notes) {
    const LockstepSeeder::Found found = seeder.collect(index, hits, notes.parts);
    notes.part_offset.push_back(static_cast<uint32_t>(notes.parts.size()));
    notes.complete_seeds.push_back(found.complete_seeds);
    notes.narrowed.push_back(found.narrowed ? 1 : 0);
}

void seed_in_lockstep(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                      std::span<const uint32_t> chosen, SeedHits& out) {
    static thread_local Scratch scratch;
    out.clear();
    LockstepSeeder seeder(index, genome, scratch.block.seeds);
    for (size_t next = 0; next < chosen.size();) {
        next = list_block(reads, chosen, next, scratch.in_block);
        seed_block(seeder, reads, scratch.in_block, scratch.block);
        for (size_t i = 0; i < scratch.in_block.size(); ++i) {
            if (!std::binary_search(chosen.begin(), chosen.end(), scratch.in_block[i])) continue;
            collect(seeder, i, out.hits, out);
            out.hit_offset.push_back(out.hits.size());
        }
    }
}

}  // namespace seeds

void seeds_lockstep(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                    SeedHits& out) {
    static thread_local std::vector<uint32_t> all;
    all.resize(reads.reads);
    std::iota(all.begin(), all.end(), 0u);
    seeds::seed_in_lockstep(index, genome, reads, all, out);
}

}  // namespace gannet::kernels
