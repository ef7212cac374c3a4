// SPDX-License-Identifier: MIT
// Provides the look-ups of a block of reads in stages, each prefetching for the next.
#include "align/seed.hpp"

#include "align/chain.hpp"
#include "align/omitted.hpp"
#include "align/packed.hpp"
#include "kernels/reads/packed_reads.hpp"

#include <algorithm>

namespace gannet::align {
namespace {

/// The look-ups of a block of reads. state.runs has the entries to be used of each of state.syncmers.
class BlockLookup {
  public:
    BlockLookup(const Index& index, const AlternateMap& alternates, AlignmentWork::State& state)
        : index_(index), alternates_(alternates), state_(state) {}

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
        state_.left_out_bp.assign(state_.syncmers.size(), k_none_left_out);
        state_.repeats.clear();
        state_.primary_entries.clear();
    }

    /// Looks up the seeds [begin, end) of a read; those with many entries are narrowed by narrow().
    ///
    /// Where enough disjoint seeds are unique, the read differs from every other locus in each of them:
    /// repetitive seeds can add nothing that matters. Seeds of long buckets are not even looked up then, nor
    /// where enough disjoint seeds have few entries, all of which are used.
    void look_up(uint32_t read_index, uint32_t begin, uint32_t end) {
        const uint32_t k = index_.parameters().kmer;
        uint32_t unique = 0;
        uint32_t unique_to = 0;
        uint32_t complete = 0;
        uint32_t complete_to = 0;
        bool any_long = false;
        for (uint32_t i = begin; i < end; ++i) {
            const Syncmer& seed = state_.syncmers[i];
            const std::span<const IndexEntry> bucket = index_.bucket(seed.hash);
            if (bucket.size() > k_long_bucket) {
                any_long = true;
                continue;
            }
            state_.runs[i] = index_.find_in(bucket, seed.hash);
            if (state_.runs[i].size() == 1 && seed.position >= unique_to &&
                !is_alternate(state_.runs[i].front())) {
                ++unique;
                unique_to = seed.position + k;
            }
            if (seed.position >= complete_to && any_on_primary(state_.runs[i])) {
                ++complete;
                complete_to = seed.position + k;
            }
        }
        if (unique >= k_enough_unique) {
            for (uint32_t i = begin; i < end; ++i) {
                if (state_.runs[i].size() > k_hits_beside_unique) leave(i);
            }
            if (any_long) leave_long(begin, end);
        } else if (any_long && complete < k_enough_complete) {
            look_up_long(read_index, begin, end);
        } else if (any_long) {
            leave_long(begin, end);
        }
    }

    /// Narrows the seeds with many entries, in rounds of one seed per read and direction, so that the
    /// look-ups of a block advance together.
    ///
    /// A narrowed seed matches some locus up to a certain base. Seeds of the same direction that are within
    /// that stretch are left out: what they could add differs from the read both in the stretch and at its
    /// end, and where it matches beyond the end a later seed finds it.
    void narrow() {
        while (begin_round()) {
            index_.narrow(state_.narrowings, k_narrowed_hits);
            widen();
            for (size_t i = 0; i < state_.narrowings.size(); ++i) take_narrowed(i);
        }
        std::sort(state_.primary_entries.begin(), state_.primary_entries.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
    }

  private:
    void look_up_long(uint32_t read, uint32_t begin, uint32_t end) {
        bool many = false;
        for (uint32_t i = begin; i < end; ++i) {
            const Syncmer& seed = state_.syncmers[i];
            const std::span<const IndexEntry> bucket = index_.bucket(seed.hash);
            if (bucket.size() <= k_long_bucket) continue;
            state_.runs[i] = index_.find_in(bucket, seed.hash);
            many |= state_.runs[i].size() > k_plain_hits;
        }
        if (many) state_.repeats.push_back({read, begin, end, begin, end, 0, ~uint32_t{0}});
    }

    /// Fills state.narrowings with the next seeds; false if there are none.
    bool begin_round() {
        state_.narrowings.clear();
        state_.narrowed.clear();
        const uint32_t k = index_.parameters().kmer;
        for (uint32_t i = 0; i < state_.repeats.size(); ++i) {
            RepeatSeeds& repeat = state_.repeats[i];
            for (bool found = false; repeat.next != repeat.end && !found; ++repeat.next) {
                const Syncmer& seed = state_.syncmers[repeat.next];
                if (seed.reverse || state_.runs[repeat.next].size() <= k_plain_hits) continue;
                found = seed.position + k > repeat.matched_to;
                take_or_leave(found, repeat.next, i);
            }
            for (bool found = false; repeat.next_back != repeat.begin && !found; --repeat.next_back) {
                const Syncmer& seed = state_.syncmers[repeat.next_back - 1];
                if (!seed.reverse || state_.runs[repeat.next_back - 1].size() <= k_plain_hits) continue;
                found = seed.position < repeat.matched_from;
                take_or_leave(found, repeat.next_back - 1, i);
            }
        }
        return !state_.narrowings.empty();
    }

    void leave_long(uint32_t begin, uint32_t end) {
        for (uint32_t i = begin; i < end; ++i) {
            if (index_.bucket(state_.syncmers[i].hash).size() > k_long_bucket) leave(i);
        }
    }

    void leave(uint32_t seed) {
        state_.runs[seed] = {};
        state_.left_out_bp[seed] = k_all_left_out;
    }

    void take_or_leave(bool take, uint32_t seed, uint32_t repeat) {
        if (take) {
            add_narrowing(state_.reads[state_.repeats[repeat].read], state_.syncmers[seed], seed);
            state_.narrowed.push_back({seed, repeat});
        } else {
            leave(seed);
        }
    }

    bool any_on_primary(std::span<const IndexEntry> entries) const {
        return std::any_of(entries.begin(), entries.end(),
                           [this](IndexEntry entry) { return !is_alternate(entry); });
    }

    bool is_alternate(IndexEntry entry) const {
        return alternates_.contains(static_cast<int64_t>(entry.position()));
    }

    void take_narrowed(size_t index) {
        const auto& [seed_index, repeat_index] = state_.narrowed[index];
        const Narrowing& search = state_.narrowings[index];
        state_.runs[seed_index] = search.run;
        state_.left_out_bp[seed_index] = search.left_out_bp;
        const auto at = std::lower_bound(state_.widened_from.begin(), state_.widened_from.end(), index);
        if (at != state_.widened_from.end() && *at == index) {
            add_primary_entries(state_.widened[static_cast<size_t>(at - state_.widened_from.begin())], index);
            return;  // that an ALT contig matches the read does not make the seeds within that stretch
                     // useless
        }
        const Syncmer& seed = state_.syncmers[seed_index];
        const auto shared = static_cast<uint32_t>(search.shared_bp);
        RepeatSeeds& repeat = state_.repeats[repeat_index];
        if (seed.reverse)
            repeat.matched_from = seed.position - shared;
        else
            repeat.matched_to = seed.position + index_.parameters().kmer + shared;
    }

    /// Copies on ALT contigs must not drive the primary assembly out of a narrowed run: where they have left
    /// few entries of it, the run is narrowed once more, to more entries.
    void widen() {
        state_.widened.clear();
        state_.widened_from.clear();
        if (alternates_.empty()) return;
        constexpr auto k_enough = static_cast<std::ptrdiff_t>(k_narrowed_hits / 2);
        for (size_t i = 0; i < state_.narrowings.size(); ++i) {
            const std::span<const IndexEntry> kept = state_.narrowings[i].run;
            const auto on_primary = std::count_if(kept.begin(), kept.end(),
                                                  [this](IndexEntry entry) { return !is_alternate(entry); });
            if (on_primary >= k_enough) continue;
            state_.widened.push_back(state_.narrowings[i]);
            state_.widened.back().run = state_.runs[state_.narrowed[i].seed];
            state_.widened_from.push_back(static_cast<uint32_t>(i));
        }
        index_.narrow(state_.widened, k_narrowed_beside_alternates);
    }

    /// Of a widened narrowing, the entries on the primary assembly are used beside those that were kept.
    void add_primary_entries(const Narrowing& wider, size_t index) {
        const std::span<const IndexEntry> known = state_.narrowings[index].run;
        for (const IndexEntry& entry : wider.run) {
            const bool is_known = &entry >= known.data() && &entry < known.data() + known.size();
            if (!is_known && !is_alternate(entry))
                state_.primary_entries.emplace_back(state_.narrowed[index].seed, entry);
        }
        state_.left_out_bp[state_.narrowed[index].seed] = wider.left_out_bp;
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
    }

    const Index& index_;
    const AlternateMap& alternates_;
    AlignmentWork::State& state_;
};

/// Fills state.hits with the hits of a read's seeds [begin, end), and counts its complete seeds.
void collect_hits(ReadState& read, uint32_t begin, uint32_t end, uint32_t k, AlignmentWork::State& state) {
    state.hits.clear();
    const auto add = [&](const Syncmer& seed, IndexEntry entry) {
        const bool reverse = entry.reverse() != (seed.reverse != 0);
        const uint32_t position = reverse ? read.length - k - seed.position : seed.position;
        state.hits.push_back(hit_key(
            reverse, static_cast<int64_t>(entry.position()) - static_cast<int64_t>(position), position));
    };
    uint32_t complete_to = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const Syncmer& seed = state.syncmers[i];
        if (state.left_out_bp[i] == k_none_left_out && seed.position >= complete_to) {
            ++read.complete_seeds;
            complete_to = seed.position + k;
        }
        for (const IndexEntry entry : state.runs[i]) add(seed, entry);
    }
    auto more = std::lower_bound(state.primary_entries.begin(), state.primary_entries.end(), begin,
                                 [](const auto& entry, uint32_t seed) { return entry.first < seed; });
    for (; more != state.primary_entries.end() && more->first < end; ++more)
        add(state.syncmers[more->first], more->second);
}

void look_up_block(const data::ReadBatch& batch, const Index& index, const AlignerTables& tables,
                   size_t first, size_t last, AlignmentWork::State& state) {
    BlockLookup lookup(index, tables.alternates, state);
    lookup.find_seeds(batch, first, last);
    for (size_t i = first; i < last; ++i) {
        lookup.look_up(static_cast<uint32_t>(i), state.syncmer_begin[i - first],
                       state.syncmer_begin[i - first + 1]);
    }
    lookup.narrow();
}

/// Fills state.hits with those of read `i` of a block that begins with read `first`.
void find_hits(size_t i, size_t first, uint32_t k, AlignmentWork::State& state) {
    const uint32_t begin = state.syncmer_begin[i - first];
    const uint32_t end = state.syncmer_begin[i - first + 1];
    collect_hits(state.reads[i], begin, end, k, state);
    add_distinct_parts(state.reads[i], begin, end, k, state);
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
    Chainer chainer(batch, index, tables, parameters, state);
    look_up_block(batch, index, tables, first, last, state);
    state.diagonals.clear();
    state.diagonal_begin.clear();
    for (size_t i = first; i < last; ++i) {
        state.diagonal_begin.push_back(static_cast<uint32_t>(state.diagonals.size()));
        find_hits(i, first, index.parameters().kmer, state);
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
