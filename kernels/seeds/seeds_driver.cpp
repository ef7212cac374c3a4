// SPDX-License-Identifier: MIT
// Provides seeding on the backend simd: the reads of a batch in blocks, in lock-step.
#include "kernels/seeds/seeds_driver.hpp"

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
    LockstepScratch seeds;
    std::vector<uint32_t> in_block;
    std::vector<SeededRead> block;
    std::vector<uint8_t> codes;
};

void unpack(const ReadBatchView& reads, uint32_t read, uint8_t* codes) {
    const uint64_t* const words = reads.words(read, 0);
    const uint32_t length = reads.length[read];
    for (uint32_t i = 0; i < length; ++i) codes[i] = static_cast<uint8_t>(words[i / 32] >> 2 * (i % 32) & 3);
    if (!reads.is_ambiguous(read)) return;
    const uint64_t* const mask = reads.mask_words(read, 0);
    for (uint32_t i = 0; i < length; ++i) {
        if ((mask[i / 32] >> 2 * (i % 32) & 1) != 0) codes[i] = 4;
    }
}

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

void seed_in_lockstep(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                      std::span<const uint32_t> chosen, SeedHits& out) {
    static thread_local Scratch scratch;
    out.clear();
    LockstepSeeder seeder(index, genome, scratch.seeds);
    for (size_t next = 0; next < chosen.size();) {
        next = list_block(reads, chosen, next, scratch.in_block);
        size_t bases = 0;
        for (const uint32_t read : scratch.in_block) bases += reads.length[read];
        scratch.codes.resize(bases);
        scratch.block.clear();
        uint8_t* codes = scratch.codes.data();
        for (const uint32_t read : scratch.in_block) {
            unpack(reads, read, codes);
            scratch.block.push_back(
                {{codes, reads.length[read]}, reads.words(read, 0), reads.is_ambiguous(read)});
            codes += reads.length[read];
        }
        seeder.find(scratch.block, reads.paired);
        for (size_t i = 0; i < scratch.in_block.size(); ++i) {
            if (!std::binary_search(chosen.begin(), chosen.end(), scratch.in_block[i])) continue;
            const LockstepSeeder::Found found = seeder.collect(i, out.hits, out.parts);
            out.hit_offset.push_back(out.hits.size());
            out.part_offset.push_back(static_cast<uint32_t>(out.parts.size()));
            out.complete_seeds.push_back(found.complete_seeds);
            out.narrowed.push_back(found.narrowed ? 1 : 0);
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
