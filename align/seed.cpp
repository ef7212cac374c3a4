// SPDX-License-Identifier: MIT
// Provides the packing of reads, and their way from seeds to candidates in blocks.
#include "align/seed.hpp"

#include "align/chain.hpp"
#include "kernels/reads/packed_reads.hpp"

namespace gannet::align {
namespace {

/// Seeds the reads [first, last), which are state.block afterwards.
void find_seeds(const data::ReadBatch& batch, size_t first, size_t last, kernels::LockstepSeeder& seeder,
                AlignmentWork::State& state) {
    state.block.clear();
    for (size_t i = first; i < last; ++i) {
        const ReadState& read = state.reads[i];
        state.block.push_back({batch.read_bases(i), state.packed.data() + read.packed, read.has_n});
    }
    // Blocks begin with the first read of a template.
    seeder.find(state.block, batch.paired);
}

/// Fills state.hits with those of `read`, which is read `index` of the block, and notes its parts.
void take_hits(const kernels::LockstepSeeder& seeder, size_t index, ReadState& read,
               AlignmentWork::State& state) {
    state.hits.clear();
    read.part_begin = static_cast<uint32_t>(state.parts.size());
    const kernels::LockstepSeeder::Found found = seeder.collect(index, state.hits, state.parts);
    read.part_end = static_cast<uint32_t>(state.parts.size());
    read.complete_seeds = found.complete_seeds;
    read.narrowed = found.narrowed;
}

}  // namespace

void pack_reads(const data::ReadBatch& batch, AlignmentWork::State& state) {
    const size_t reads = batch.reads();
    state.reads.assign(reads, ReadState{});
    uint64_t words = 0;
    for (size_t i = 0; i < reads; ++i) {
        ReadState& read = state.reads[i];
        read.length = static_cast<uint32_t>(batch.read_bases(i).size());
        read.words = (read.length + 31) / 32 + 1;
        read.packed = words;
        words += 2 * uint64_t{read.words};
    }
    state.packed.resize(words);
    state.mask.clear();
    for (size_t i = 0; i < reads; ++i) {
        ReadState& read = state.reads[i];
        uint64_t* forward = state.packed.data() + read.packed;
        read.has_n = kernels::pack_strands(batch.read_bases(i), forward, forward + read.words);
        if (!read.has_n) continue;
        read.mask = state.mask.size();
        state.mask.resize(read.mask + 2 * size_t{read.words});
        uint64_t* mask = state.mask.data() + read.mask;
        kernels::pack_masks(batch.read_bases(i), mask, mask + read.words);
    }
}

void seed_reads(const data::ReadBatch& batch, const Index& index, const AlignerTables& tables,
                const AlignerParameters& parameters, size_t first, size_t last, AlignmentWork::State& state) {
    const kernels::SeedIndexView seeds = index.view();
    kernels::LockstepSeeder seeder(seeds, tables.genome, state.seeding);
    find_seeds(batch, first, last, seeder, state);
    Chainer chainer(batch, index, tables, parameters, state);
    state.diagonals.clear();
    state.diagonal_begin.clear();
    for (size_t i = first; i < last; ++i) {
        state.diagonal_begin.push_back(static_cast<uint32_t>(state.diagonals.size()));
        take_hits(seeder, i - first, state.reads[i], state);
        chainer.add_diagonals(static_cast<uint32_t>(i));
    }
    state.diagonal_begin.push_back(static_cast<uint32_t>(state.diagonals.size()));
    for (size_t i = first; i < last; ++i) {
        const uint32_t begin = state.diagonal_begin[i - first];
        const uint32_t end = state.diagonal_begin[i - first + 1];
        chainer.add_candidates(static_cast<uint32_t>(i),
                               std::span(state.diagonals).subspan(begin, end - begin));
    }
}

}  // namespace gannet::align
