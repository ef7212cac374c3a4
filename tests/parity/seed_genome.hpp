// SPDX-License-Identifier: MIT
// Provides small genomes with repeats and ALT contigs, and their seed index, for parity cases.
#pragma once

#include "kernels/genome/genome_view.hpp"
#include "kernels/seeds/seed_index_view.hpp"
#include "tests/parity/random.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gannet::parity {

using Codes = std::vector<uint8_t>;  ///< 0 to 3; 4: ambiguous

/// A genome, its arrays owned; as align::Index and align::AlignerTables make them of a reference.
struct SeedGenome {
    Codes codes;  ///< of the packed genome, padding included, as 4
    std::vector<uint64_t> packed;
    std::vector<uint64_t> contig_begin, contig_length;
    std::vector<kernels::GenomeInterval> ambiguous, alternate;
    std::vector<uint64_t> fine, coarse;
    std::vector<uint32_t> bucket_begin;
    std::vector<kernels::SeedEntry> entries;
    uint32_t kmer = 0, smer = 0, bucket_shift = 0;

    kernels::GenomeView genome() const;
    kernels::SeedIndexView index() const;
};

struct SeedGenomeShape {
    uint32_t kmer = 21;
    uint32_t smer = 11;
    uint32_t bucket_bits = 15;  ///< at least 2 * kmer - 27; few bits make long buckets
};

Codes random_codes(Random& random, size_t count);
/// Each base is another one with `percent`.
Codes mutated(Random& random, Codes codes, uint32_t percent);
Codes reversed_complement(const Codes& codes);

/// `contigs`: in the order of the genome; those from `first_alternate` on are ALT contigs.
SeedGenome make_seed_genome(const std::vector<Codes>& contigs, size_t first_alternate,
                            const SeedGenomeShape& shape);

}  // namespace gannet::parity
