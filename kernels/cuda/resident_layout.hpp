// SPDX-License-Identifier: MIT
// Provides the layout of a resident index and genome in one block of a device's memory.
#pragma once

#include "kernels/cuda/layout.hpp"
#include "kernels/genome/genome_view.hpp"
#include "kernels/seeds/seed_index_view.hpp"

#include <cstdint>

namespace gannet::kernels::cuda {

struct ResidentLayout {
    Section<uint64_t> packed, contig_begin, contig_length, ambiguous_fine, ambiguous_coarse;
    Section<GenomeInterval> ambiguous, alternate;
    Section<uint32_t> block_begin;
    Section<SeedEntry> words;
    uint64_t bytes = 0;

    ResidentLayout(const SeedIndexView& index, const GenomeView& genome) {
        Layout layout;
        packed = layout.add<uint64_t>(genome.words);
        contig_begin = layout.add<uint64_t>(genome.contigs);
        contig_length = layout.add<uint64_t>(genome.contigs);
        ambiguous_fine = layout.add<uint64_t>((genome.genome_size() >> (k_fine_block_bits + 6)) + 1);
        ambiguous_coarse = layout.add<uint64_t>((genome.genome_size() >> (k_coarse_block_bits + 6)) + 1);
        ambiguous = layout.add<GenomeInterval>(genome.ambiguous_count);
        alternate = layout.add<GenomeInterval>(genome.alternate_count);
        block_begin = layout.add<uint32_t>(index.blocks);
        words = layout.add<SeedEntry>(index.word_count);
        bytes = layout.bytes();
    }

    /// Calls copy(section, host array) for each array.
    template <class Copy>
    void each(const SeedIndexView& index, const GenomeView& genome, const Copy& copy) const {
        copy(packed, genome.packed);
        copy(contig_begin, genome.contig_begin);
        copy(contig_length, genome.contig_length);
        copy(ambiguous_fine, genome.ambiguous_fine);
        copy(ambiguous_coarse, genome.ambiguous_coarse);
        copy(ambiguous, genome.ambiguous);
        copy(alternate, genome.alternate);
        copy(block_begin, index.block_begin);
        copy(words, index.words);
    }

    GenomeView genome_in(void* block, GenomeView genome) const {
        genome.packed = packed.in(block);
        genome.contig_begin = contig_begin.in(block);
        genome.contig_length = contig_length.in(block);
        genome.ambiguous_fine = ambiguous_fine.in(block);
        genome.ambiguous_coarse = ambiguous_coarse.in(block);
        genome.ambiguous = ambiguous.in(block);
        genome.alternate = alternate.in(block);
        return genome;
    }
    SeedIndexView index_in(void* block, SeedIndexView index) const {
        index.block_begin = block_begin.in(block);
        index.words = words.in(block);
        return index;
    }
};

}  // namespace gannet::kernels::cuda
