// SPDX-License-Identifier: MIT
// Provides the look-ups of a block of reads in stages, each prefetching for the next.
#include "align/seed.hpp"

#include "align/chain.hpp"
#include "align/packed.hpp"

#include <algorithm>

namespace gannet::align {
namespace {

void pack(std::span<const data::Base> bases, uint64_t* forward, uint64_t* reverse, bool& has_n) {
    const auto length = static_cast<uint32_t>(bases.size());
    uint8_t any = 0;
    for (uint32_t base = 0; base < length; base += 32) {
        const uint32_t end = std::min(length - base, 32u);
        uint64_t word = 0;
        for (uint32_t i = 0; i < end; ++i) {
            const uint8_t code = bases[base + i];
            any |= code;
            word |= uint64_t{code & 3u} << 2 * i;
        }
        forward[base / 32] = word;
    }
    has_n = (any & 4) != 0;
    const uint32_t words = (length + 31) / 32;
    forward[words] = reverse[words] = 0;
    // Reversing words puts the spare bases of the last one in front: shift them out.
    const uint32_t spare = words * 32 - length;
    for (uint32_t i = 0; i < words; ++i) {
        const uint64_t low = reverse_bases(~forward[words - 1 - i]);
        const uint64_t high = i + 1 < words ? reverse_bases(~forward[words - 2 - i]) : 0;
        reverse[i] = spare == 0 ? low : low >> 2 * spare | high << (64 - 2 * spare);
    }
}

/// Hits of one read as sortable keys: strand, diagonal, position of the seed in the oriented read.
class HitCollector {
  public:
    HitCollector(const Index& index, AlignmentWork::State& state) : index_(index), state_(state) {}

    void collect(const ReadState& read, std::span<const Syncmer> seeds) {
        state_.hits.clear();
        const size_t most = find_runs(seeds);
        for (size_t i = 0; i < seeds.size(); ++i) {
            std::span<const IndexEntry> run = state_.runs[i];
            if (run.size() > most) {
                if (most < k_plain_hits) continue;
                run = narrow(read, seeds[i], run).kept;
            }
            add_hits(read, seeds[i], run);
        }
    }

  private:
    /// Looks the seeds up; returns how many entries a seed may have to be used without narrowing. Where
    /// enough disjoint seeds are unique, the read differs from every other locus in each of them: repetitive
    /// seeds can add nothing that matters.
    size_t find_runs(std::span<const Syncmer> seeds) {
        state_.runs.clear();
        const uint32_t k = index_.parameters().kmer;
        uint32_t unique = 0;
        uint32_t unique_to = 0;
        for (const Syncmer& seed : seeds) {
            state_.runs.push_back(index_.find(seed.hash));
            if (state_.runs.back().size() == 1 && seed.position >= unique_to) {
                ++unique;
                unique_to = seed.position + k;
            }
        }
        return unique >= k_enough_unique ? k_hits_beside_unique : k_plain_hits;
    }

    void add_hits(const ReadState& read, const Syncmer& seed, std::span<const IndexEntry> run) {
        const uint32_t turned = read.length - index_.parameters().kmer - seed.position;
        for (const IndexEntry entry : run) {
            const bool reverse = entry.reverse() != (seed.reverse != 0);
            const uint32_t position = reverse ? turned : seed.position;
            state_.hits.push_back(hit_key(
                reverse, static_cast<int64_t>(entry.position()) - static_cast<int64_t>(position), position));
        }
    }

    /// The read's own bases after the k-mer, in the k-mer's canonical direction.
    NarrowedEntries narrow(const ReadState& read, const Syncmer& seed,
                           std::span<const IndexEntry> run) const {
        const uint32_t k = index_.parameters().kmer;
        const uint64_t* own = state_.packed.data() + read.packed + (seed.reverse ? read.words : 0);
        const uint32_t begin = (seed.reverse ? read.length - k - seed.position : seed.position) + k;
        uint64_t context[k_context_bases / 32] = {};
        const uint32_t length = std::min(read.length - begin, k_context_bases);
        for (uint32_t base = 0; base < length; base += 32) {
            context[base / 32] = reverse_bases(word_at(own, begin + base));
        }
        return index_.narrow(run, context, length, k_narrowed_hits);
    }

    const Index& index_;
    AlignmentWork::State& state_;
};

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
    for (size_t i = 0; i < reads; ++i) {
        ReadState& read = state.reads[i];
        uint64_t* forward = state.packed.data() + read.packed;
        pack(batch.read_bases(i), forward, forward + read.words, read.has_n);
    }
}

void seed_reads(const data::ReadBatch& batch, const Index& index, const AlignerTables& tables,
                const AlignerParameters& parameters, size_t first, size_t last, AlignmentWork::State& state) {
    const IndexParameters& of_index = index.parameters();
    state.syncmers.clear();
    state.syncmer_begin.clear();
    for (size_t i = first; i < last; ++i) {
        const ReadState& read = state.reads[i];
        state.syncmer_begin.push_back(static_cast<uint32_t>(state.syncmers.size()));
        if (read.length > k_max_read_bp) continue;
        find_syncmers(of_index.kmer, of_index.smer, batch.read_bases(i), read.has_n,
                      state.packed.data() + read.packed, 0, state.syncmer, state.syncmers);
    }
    state.syncmer_begin.push_back(static_cast<uint32_t>(state.syncmers.size()));
    for (const Syncmer& seed : state.syncmers) {
        __builtin_prefetch(index.bucket_begin(index.bucket_of(seed.hash)));
    }
    for (const Syncmer& seed : state.syncmers) {
        __builtin_prefetch(index.entry(*index.bucket_begin(index.bucket_of(seed.hash))));
    }
    HitCollector collector(index, state);
    Chainer chainer(batch, index, tables, parameters, state);
    for (size_t i = first; i < last; ++i) {
        const uint32_t begin = state.syncmer_begin[i - first];
        const uint32_t end = state.syncmer_begin[i - first + 1];
        collector.collect(state.reads[i], std::span(state.syncmers).subspan(begin, end - begin));
        chainer.add_candidates(static_cast<uint32_t>(i));
    }
}

}  // namespace gannet::align
