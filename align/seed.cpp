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

/// The look-ups of a block of reads. state.runs has the entries to be used of each of state.syncmers.
class BlockLookup {
  public:
    BlockLookup(const Index& index, AlignmentWork::State& state) : index_(index), state_(state) {}

    /// Finds the syncmers of reads [first, last) and asks for the memory that their look-ups will read.
    void find_seeds(const data::ReadBatch& batch, size_t first, size_t last) {
        const IndexParameters& parameters = index_.parameters();
        state_.syncmers.clear();
        state_.syncmer_begin.clear();
        for (size_t i = first; i < last; ++i) {
            const ReadState& read = state_.reads[i];
            state_.syncmer_begin.push_back(static_cast<uint32_t>(state_.syncmers.size()));
            if (read.length > k_max_read_bp) continue;
            find_syncmers(parameters.kmer, parameters.smer, batch.read_bases(i), read.has_n,
                          state_.packed.data() + read.packed, 0, state_.syncmer, state_.syncmers);
        }
        state_.syncmer_begin.push_back(static_cast<uint32_t>(state_.syncmers.size()));
        for (const Syncmer& seed : state_.syncmers) {
            __builtin_prefetch(index_.bucket_begin(index_.bucket_of(seed.hash)));
        }
        for (const Syncmer& seed : state_.syncmers) {
            const std::span<const IndexEntry> bucket = index_.bucket(seed.hash);
            __builtin_prefetch(bucket.data());
            if (bucket.size() > k_long_bucket) __builtin_prefetch(bucket.data() + bucket.size() - 1);
        }
        state_.runs.assign(state_.syncmers.size(), {});
        state_.narrowings.clear();
        state_.narrowed_seed.clear();
    }

    /// Looks up the seeds [begin, end) of a read; those with many entries are narrowed by narrow().
    ///
    /// Where enough disjoint seeds are unique, the read differs from every other locus in each of them:
    /// repetitive seeds can add nothing that matters. Seeds of long buckets are not even looked up then.
    void look_up(const ReadState& read, uint32_t begin, uint32_t end) {
        const uint32_t k = index_.parameters().kmer;
        uint32_t unique = 0;
        uint32_t unique_to = 0;
        bool any_long = false;
        for (uint32_t i = begin; i < end; ++i) {
            const Syncmer& seed = state_.syncmers[i];
            const std::span<const IndexEntry> bucket = index_.bucket(seed.hash);
            if (bucket.size() > k_long_bucket) {
                any_long = true;
                continue;
            }
            state_.runs[i] = index_.find_in(bucket, seed.hash);
            if (state_.runs[i].size() == 1 && seed.position >= unique_to) {
                ++unique;
                unique_to = seed.position + k;
            }
        }
        if (unique >= k_enough_unique) {
            for (uint32_t i = begin; i < end; ++i) {
                if (state_.runs[i].size() > k_hits_beside_unique) state_.runs[i] = {};
            }
        } else if (any_long) {
            look_up_long(read, begin, end);
        }
    }

    void narrow() {
        index_.narrow(state_.narrowings, k_narrowed_hits);
        for (size_t i = 0; i < state_.narrowings.size(); ++i) {
            state_.runs[state_.narrowed_seed[i]] = state_.narrowings[i].run;
        }
    }

  private:
    void look_up_long(const ReadState& read, uint32_t begin, uint32_t end) {
        for (uint32_t i = begin; i < end; ++i) {
            const Syncmer& seed = state_.syncmers[i];
            const std::span<const IndexEntry> bucket = index_.bucket(seed.hash);
            if (bucket.size() <= k_long_bucket) continue;
            state_.runs[i] = index_.find_in(bucket, seed.hash);
            if (state_.runs[i].size() > k_plain_hits) add_narrowing(read, seed, i);
        }
    }

    /// The read's own bases after the k-mer, in the k-mer's canonical direction.
    void add_narrowing(const ReadState& read, const Syncmer& seed, uint32_t index) {
        const uint32_t k = index_.parameters().kmer;
        const uint64_t* own = state_.packed.data() + read.packed + (seed.reverse ? read.words : 0);
        const uint32_t begin = (seed.reverse ? read.length - k - seed.position : seed.position) + k;
        Narrowing& search = state_.narrowings.emplace_back();
        search.run = state_.runs[index];
        search.length = std::min(read.length - begin, k_context_bases);
        for (uint32_t base = 0; base < search.length; base += 32) {
            search.context[base / 32] = reverse_bases(word_at(own, begin + base));
        }
        state_.narrowed_seed.push_back(index);
    }

    const Index& index_;
    AlignmentWork::State& state_;
};

/// Appends the hits of a read's seeds [begin, end) to state.hits.
void collect_hits(const ReadState& read, uint32_t begin, uint32_t end, uint32_t k,
                  AlignmentWork::State& state) {
    state.hits.clear();
    for (uint32_t i = begin; i < end; ++i) {
        const Syncmer& seed = state.syncmers[i];
        const uint32_t turned = read.length - k - seed.position;
        for (const IndexEntry entry : state.runs[i]) {
            const bool reverse = entry.reverse() != (seed.reverse != 0);
            const uint32_t position = reverse ? turned : seed.position;
            state.hits.push_back(hit_key(
                reverse, static_cast<int64_t>(entry.position()) - static_cast<int64_t>(position), position));
        }
    }
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
    for (size_t i = 0; i < reads; ++i) {
        ReadState& read = state.reads[i];
        uint64_t* forward = state.packed.data() + read.packed;
        pack(batch.read_bases(i), forward, forward + read.words, read.has_n);
    }
}

void seed_reads(const data::ReadBatch& batch, const Index& index, const AlignerTables& tables,
                const AlignerParameters& parameters, size_t first, size_t last, AlignmentWork::State& state) {
    BlockLookup lookup(index, state);
    Chainer chainer(batch, index, tables, parameters, state);
    const auto seeds_begin = [&](size_t read) { return state.syncmer_begin[read - first]; };
    lookup.find_seeds(batch, first, last);
    for (size_t i = first; i < last; ++i) {
        lookup.look_up(state.reads[i], seeds_begin(i), seeds_begin(i + 1));
    }
    lookup.narrow();
    state.diagonals.clear();
    state.diagonal_begin.clear();
    for (size_t i = first; i < last; ++i) {
        state.diagonal_begin.push_back(static_cast<uint32_t>(state.diagonals.size()));
        collect_hits(state.reads[i], seeds_begin(i), seeds_begin(i + 1), index.parameters().kmer, state);
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
