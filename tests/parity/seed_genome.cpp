// SPDX-License-Identifier: MIT
// Provides the seed index of a made genome.
#include "tests/parity/seed_genome.hpp"

#include "kernels/seeds/seed_index_layout.hpp"
#include "kernels/seeds/seeds_cell.hpp"
#include "kernels/seeds/syncmers.hpp"

#include <algorithm>

namespace gannet::parity {

using kernels::SeedEntry;

kernels::SeedIndexView SeedGenome::index() const {
    return {kmer, smer, bucket_shift, block_begin.size(), block_begin.data(), words.data(), words.size()};
}

namespace {

struct Sampled {
    uint64_t hash;
    SeedEntry entry;
};

void add_index(const SeedGenomeShape& shape, SeedGenome& genome) {
    genome.kmer = shape.kmer;
    genome.smer = shape.smer;
    genome.bucket_shift = 2 * shape.kmer - shape.bucket_bits;
    kernels::SyncmerScratch scratch;
    std::vector<kernels::Syncmer> syncmers;
    const kernels::GenomeView view = genome.made.view();
    kernels::find_syncmers(shape.kmer, shape.smer, genome.made.codes(), true, view.packed, 0, scratch,
                           syncmers);
    std::vector<Sampled> sampled;
    for (const kernels::Syncmer& found : syncmers)
        sampled.push_back({found.hash, SeedEntry(found.hash, found.position, found.reverse != 0)});
    std::sort(sampled.begin(), sampled.end(), [&](const Sampled& a, const Sampled& b) {
        if (a.hash != b.hash) return a.hash < b.hash;
        for (uint32_t word = 0; word < kernels::k_context_bases / 32; ++word) {
            const uint64_t of_a = kernels::context_word(view.packed, view.words, a.entry, shape.kmer, word);
            const uint64_t of_b = kernels::context_word(view.packed, view.words, b.entry, shape.kmer, word);
            if (of_a != of_b) return of_a < of_b;
        }
        return a.entry.position() < b.entry.position();
    });
    std::vector<SeedEntry> entries;
    std::vector<uint64_t> part_begin{0};
    for (const Sampled& each : sampled) {
        part_begin.resize((each.hash >> SeedEntry::k_fingerprint_bits) + 1, entries.size());
        entries.push_back(each.entry);
    }
    part_begin.push_back(entries.size());
    const kernels::SortedEntries sorted{shape.kmer, entries, part_begin, view.packed, view.words};
    const kernels::SeedIndexLayout layout(sorted, shape.bucket_bits);
    genome.block_begin.assign(layout.block_begin().begin(), layout.block_begin().end());
    layout.write([&](std::span<const uint64_t> words) {
        for (const uint64_t word : words) genome.words.emplace_back(word);
    });
}

}  // namespace

SeedGenome make_seed_genome(const std::vector<Codes>& contigs, size_t first_alternate,
                            const SeedGenomeShape& shape) {
    SeedGenome genome;
    for (size_t i = 0; i < contigs.size(); ++i) genome.made.add(contigs[i], i >= first_alternate);
    genome.made.finish();
    add_index(shape, genome);
    return genome;
}

}  // namespace gannet::parity
