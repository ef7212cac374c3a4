// SPDX-License-Identifier: MIT
// Provides the genomes of parity cases.
#include "tests/parity/seed_genome.hpp"

#include "kernels/seeds/seeds_cell.hpp"
#include "kernels/seeds/syncmers.hpp"

#include <algorithm>

namespace gannet::parity {

using kernels::SeedEntry;

kernels::GenomeView SeedGenome::genome() const {
    kernels::GenomeView view;
    view.packed = packed.data();
    view.words = packed.size();
    view.contig_begin = contig_begin.data();
    view.contig_length = contig_length.data();
    view.contigs = static_cast<uint32_t>(contig_begin.size());
    view.ambiguous = ambiguous.data();
    view.ambiguous_count = static_cast<uint32_t>(ambiguous.size());
    view.ambiguous_fine = fine.data();
    view.ambiguous_coarse = coarse.data();
    view.alternate = alternate.data();
    view.alternate_count = static_cast<uint32_t>(alternate.size());
    return view;
}

kernels::SeedIndexView SeedGenome::index() const {
    return {kmer,           smer,          bucket_shift, bucket_begin.size() - 1, bucket_begin.data(),
            entries.data(), entries.size()};
}

Codes random_codes(Random& random, size_t count) {
    Codes codes(count);
    for (uint8_t& code : codes) code = static_cast<uint8_t>(random.below(4));
    return codes;
}

Codes mutated(Random& random, Codes codes, uint32_t percent) {
    for (uint8_t& code : codes) {
        if (code < 4 && random.chance(percent)) code = static_cast<uint8_t>((code + 1 + random.below(3)) % 4);
    }
    return codes;
}

Codes reversed_complement(const Codes& codes) {
    Codes result(codes.rbegin(), codes.rend());
    for (uint8_t& code : result) code = code < 4 ? static_cast<uint8_t>(3 - code) : code;
    return result;
}

namespace {

void add_contigs(const std::vector<Codes>& contigs, size_t first_alternate, SeedGenome& genome) {
    constexpr size_t k_padding = 64;
    genome.codes.assign(k_padding, 4);
    for (size_t i = 0; i < contigs.size(); ++i) {
        const auto begin = static_cast<int64_t>(genome.codes.size());
        const auto end = begin + static_cast<int64_t>(contigs[i].size());
        genome.contig_begin.push_back(genome.codes.size());
        genome.contig_length.push_back(contigs[i].size());
        if (i == first_alternate) genome.alternate.push_back({begin, end});
        if (i > first_alternate) genome.alternate.back().end = end;
        genome.codes.insert(genome.codes.end(), contigs[i].begin(), contigs[i].end());
        genome.codes.resize((genome.codes.size() + 2 * k_padding - 1) / k_padding * k_padding, 4);
    }
}

void add_ambiguity(SeedGenome& genome) {
    const size_t size = genome.codes.size();
    genome.packed.assign(size / 32, 0);
    genome.fine.assign((size >> (kernels::k_fine_block_bits + 6)) + 1, 0);
    genome.coarse.assign((size >> (kernels::k_coarse_block_bits + 6)) + 1, 0);
    for (size_t i = 0; i < size; ++i) {
        genome.packed[i / 32] |= uint64_t{genome.codes[i] & 3u} << 2 * (i % 32);
        if (genome.codes[i] < 4) continue;
        const auto at = static_cast<int64_t>(i);
        if (!genome.ambiguous.empty() && genome.ambiguous.back().end == at) {
            ++genome.ambiguous.back().end;
        } else {
            genome.ambiguous.push_back({at, at + 1});
        }
        const size_t fine = i >> kernels::k_fine_block_bits;
        const size_t coarse = i >> kernels::k_coarse_block_bits;
        genome.fine[fine / 64] |= uint64_t{1} << fine % 64;
        genome.coarse[coarse / 64] |= uint64_t{1} << coarse % 64;
    }
}

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
    // One word more, which word_at() reads.
    std::vector<uint64_t> packed(genome.packed);
    packed.push_back(0);
    kernels::find_syncmers(shape.kmer, shape.smer, genome.codes, true, packed.data(), 0, scratch, syncmers);
    std::vector<Sampled> sampled;
    for (const kernels::Syncmer& found : syncmers)
        sampled.push_back({found.hash, SeedEntry(found.hash, found.position, found.reverse != 0)});
    std::sort(sampled.begin(), sampled.end(), [&](const Sampled& a, const Sampled& b) {
        if (a.hash != b.hash) return a.hash < b.hash;
        for (uint32_t word = 0; word < kernels::k_context_bases / 32; ++word) {
            const uint64_t of_a =
                kernels::context_word(genome.packed.data(), genome.packed.size(), a.entry, shape.kmer, word);
            const uint64_t of_b =
                kernels::context_word(genome.packed.data(), genome.packed.size(), b.entry, shape.kmer, word);
            if (of_a != of_b) return of_a < of_b;
        }
        return a.entry.position() < b.entry.position();
    });
    genome.bucket_begin.assign((size_t{1} << shape.bucket_bits) + 1, 0);
    for (const Sampled& each : sampled) {
        genome.entries.push_back(each.entry);
        ++genome.bucket_begin[(each.hash >> genome.bucket_shift) + 1];
    }
    for (size_t i = 1; i < genome.bucket_begin.size(); ++i)
        genome.bucket_begin[i] += genome.bucket_begin[i - 1];
}

}  // namespace

SeedGenome make_seed_genome(const std::vector<Codes>& contigs, size_t first_alternate,
                            const SeedGenomeShape& shape) {
    SeedGenome genome;
    add_contigs(contigs, first_alternate, genome);
    add_ambiguity(genome);
    add_index(shape, genome);
    return genome;
}

}  // namespace gannet::parity
