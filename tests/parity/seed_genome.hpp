// SPDX-License-Identifier: MIT
// Provides small genomes with repeats and ALT contigs, and their seed index, for parity cases.
#pragma once

#include "kernels/seeds/seed_index_view.hpp"
#include "tests/parity/genome.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gannet::parity {

/// A genome and its index; as align::Index makes it of a reference.
struct SeedGenome {
    MadeGenome made;
    std::vector<uint32_t> block_begin;
    std::vector<kernels::SeedEntry> words;
    uint32_t kmer = 0, smer = 0, bucket_shift = 0;

    const Codes& codes() const { return made.codes(); }
    kernels::GenomeView genome() const { return made.view(); }
    kernels::SeedIndexView index() const;
};

struct SeedGenomeShape {
    uint32_t kmer = 21;
    uint32_t smer = 11;
    uint32_t bucket_bits = 15;  ///< at least 2 * kmer - 27; few bits make long buckets
};

/// `contigs`: in the order of the genome; those from `first_alternate` on are ALT contigs.
SeedGenome make_seed_genome(const std::vector<Codes>& contigs, size_t first_alternate,
                            const SeedGenomeShape& shape);

}  // namespace gannet::parity
