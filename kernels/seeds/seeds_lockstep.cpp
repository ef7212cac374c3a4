// SPDX-License-Identifier: MIT
// Provides the look-ups of a block of reads in stages.
#include "kernels/seeds/seeds_lockstep.hpp"

#include "kernels/genome/fetch.hpp"
#include "kernels/genome/packed_words.hpp"

#include <algorithm>

namespace gannet::kernels {

void LockstepSeeder::find(std::span<const SeededRead> block, bool paired) {
    block_ = block;
    find_positions(block);
    look_up_first(block);
    list_seeds(block);
    scratch_.long_left_out.assign(block.size(), 0);
    scratch_.with_long.clear();
    for (uint32_t read = 0; read < block.size(); ++read) {
        if (scratch_.settled[read] != 0) continue;
        const uint32_t mate = read ^ 1;
        look_up(read, paired && mate < block.size() && scratch_.settled[mate] != 0);
    }
    fetch_long();
    for (const uint32_t read : scratch_.with_long) look_up_long(read);
    narrow_repeats(block);
}

void LockstepSeeder::find_positions(std::span<const SeededRead> block) {
    LockstepScratch& s = scratch_;
    s.positions.clear();
    s.position_begin.clear();
    for (const SeededRead& read : block) {
        s.position_begin.push_back(static_cast<uint32_t>(s.positions.size()));
        if (read.codes.size() > k_seeds_max_read) continue;
        const auto found =
            find_syncmer_positions(index_.kmer, index_.smer, read.codes, read.is_ambiguous, s.syncmer);
        s.positions.insert(s.positions.end(), found.begin(), found.end());
    }
    s.position_begin.push_back(static_cast<uint32_t>(s.positions.size()));
}

/// Looks up the disjoint seeds of each read, and decides by them which reads need no others.
void LockstepSeeder::look_up_first(std::span<const SeededRead> block) {
    LockstepScratch& s = scratch_;
    s.first_seeds.clear();
    s.first_begin.clear();
    for (uint32_t read = 0; read < block.size(); ++read) {
        s.first_begin.push_back(static_cast<uint32_t>(s.first_seeds.size()));
        uint32_t to = 0;
        for (uint32_t i = s.position_begin[read]; i < s.position_begin[read + 1]; ++i) {
            if (s.positions[i] < to) continue;
            to = s.positions[i] + index_.kmer;
            s.first_seeds.push_back(syncmer_at(index_.kmer, block[read].words, 0, s.positions[i]));
        }
    }
    s.first_begin.push_back(static_cast<uint32_t>(s.first_seeds.size()));
    s.first_buckets.resize(s.first_seeds.size());
    fetch_blocks(s.first_seeds);
    fetch_counts(s.first_seeds);
    find_buckets(s.first_seeds, s.first_buckets);
    s.first_runs.assign(s.first_seeds.size(), {});
    s.settled.clear();
    for (uint32_t read = 0; read < block.size(); ++read) s.settled.push_back(is_settled(read) ? 1 : 0);
}

/// Whether the unique ones of a read's disjoint seeds are enough, agree on one place, and leave no end of the
/// read without any.
bool LockstepSeeder::is_settled(uint32_t read) {
    LockstepScratch& s = scratch_;
    const auto length = static_cast<uint32_t>(block_[read].codes.size());
    const uint32_t k = index_.kmer;
    UniquePlace place;
    for (uint32_t i = s.first_begin[read]; i < s.first_begin[read + 1]; ++i) {
        const Syncmer& seed = s.first_seeds[i];
        if (s.first_buckets[i].is_long()) continue;
        s.first_runs[i] = find_in_short(index_, s.first_buckets[i], seed.hash);
        if (s.first_runs[i].size() != 1 || is_alternate(s.first_runs[i].front())) continue;
        place.add(hit_of(length, k, seed.position, seed.reverse != 0, s.first_runs[i].front()), seed.position,
                  k);
    }
    return place.settles(length);
}

/// Lists the seeds of all reads: of settled ones the disjoint seeds, with their entries, of the others all;
/// and asks for the memory that their look-ups will read.
void LockstepSeeder::list_seeds(std::span<const SeededRead> block) {
    LockstepScratch& s = scratch_;
    s.syncmers.clear();
    s.syncmer_begin.clear();
    s.runs.clear();
    s.left_out_bp.clear();
    s.repeats.clear();
    s.primary_entries.clear();
    for (uint32_t read = 0; read < block.size(); ++read) {
        s.syncmer_begin.push_back(static_cast<uint32_t>(s.syncmers.size()));
        if (s.settled[read] != 0) {
            for (uint32_t i = s.first_begin[read]; i < s.first_begin[read + 1]; ++i) {
                s.syncmers.push_back(s.first_seeds[i]);
                const bool left =
                    s.first_buckets[i].is_long() || s.first_runs[i].size() > k_hits_beside_unique;
                s.runs.push_back(left ? std::span<const SeedEntry>() : s.first_runs[i]);
                s.left_out_bp.push_back(left ? k_all_left_out : k_none_left_out);
            }
            continue;
        }
        for (uint32_t i = s.position_begin[read]; i < s.position_begin[read + 1]; ++i) {
            s.syncmers.push_back(syncmer_at(index_.kmer, block[read].words, 0, s.positions[i]));
        }
        s.runs.resize(s.syncmers.size());
        s.left_out_bp.resize(s.syncmers.size(), k_none_left_out);
    }
    s.syncmer_begin.push_back(static_cast<uint32_t>(s.syncmers.size()));
    s.buckets.resize(s.syncmers.size());
    const auto each_unsettled = [&](const auto& use) {
        for (uint32_t read = 0; read < block.size(); ++read) {
            if (s.settled[read] == 0) use(read);
        }
    };
    each_unsettled([this](uint32_t read) { fetch_blocks(seeds_of(read)); });
    each_unsettled([this](uint32_t read) { fetch_counts(seeds_of(read)); });
    each_unsettled([this](uint32_t read) { find_buckets(seeds_of(read), buckets_of(read)); });
}

/// Asks for where the blocks of the seeds begin. There is nothing else in the loop: the fewer instructions
/// are between the requests, the more of these are under way together.
void LockstepSeeder::fetch_blocks(std::span<const Syncmer> seeds) const {
    for (const Syncmer& seed : seeds) fetch(block_of(index_, seed.hash));
}

/// Asks for the first words of the blocks, whose places have been asked for.
void LockstepSeeder::fetch_counts(std::span<const Syncmer> seeds) const {
    for (const Syncmer& seed : seeds) fetch(index_.words + *block_of(index_, seed.hash));
}

/// Finds the seeds' buckets, and then asks for their entries, mostly in the same page as the first words of
/// their blocks. Of an empty bucket it is what stands behind: a branch on what has just arrived would cost
/// more.
void LockstepSeeder::find_buckets(std::span<const Syncmer> seeds, std::span<SeedBucket> buckets) const {
    for (size_t i = 0; i < seeds.size(); ++i) buckets[i] = bucket_of(index_, seeds[i].hash);
    for (const SeedBucket bucket : buckets) fetch(index_.words + bucket.begin);
}

/// Asks for what the long buckets hold, of the reads whose long seeds are looked up.
void LockstepSeeder::fetch_long() {
    for (const uint32_t read : scratch_.with_long) {
        for (const SeedBucket bucket : buckets_of(read)) {
            if (bucket.is_long()) fetch(index_.words + place_of_long(index_, bucket));
        }
    }
}

/// Looks up the seeds of a read; those with many entries are narrowed by narrow_repeats().
///
/// Where enough disjoint seeds are unique, the read differs from every other locus in each of them:
/// repetitive seeds can add nothing that matters. Seeds of long buckets are not even looked up then, nor
/// where enough disjoint seeds have few entries, all of which are used; beside a mate that is settled, two
/// such seeds are enough.
void LockstepSeeder::look_up(uint32_t read, bool is_mate_settled) {
    LockstepScratch& s = scratch_;
    const uint32_t begin = s.syncmer_begin[read];
    const uint32_t end = s.syncmer_begin[read + 1];
    const uint32_t k = index_.kmer;
    uint32_t unique = 0;
    uint32_t unique_to = 0;
    uint32_t complete = 0;
    uint32_t complete_to = 0;
    bool any_long = false;
    for (uint32_t i = begin; i < end; ++i) {
        const Syncmer& seed = s.syncmers[i];
        if (s.buckets[i].is_long()) {
            any_long = true;
            continue;
        }
        s.runs[i] = find_in_short(index_, s.buckets[i], seed.hash);
        if (s.runs[i].size() == 1 && seed.position >= unique_to && !is_alternate(s.runs[i].front())) {
            ++unique;
            unique_to = seed.position + k;
        }
        if (seed.position >= complete_to && any_on_primary(s.runs[i])) {
            ++complete;
            complete_to = seed.position + k;
        }
    }
    if (unique >= k_enough_unique) {
        for (uint32_t i = begin; i < end; ++i) {
            if (s.runs[i].size() > k_hits_beside_unique) leave(i);
        }
        if (any_long) leave_long(begin, end);
    } else if (any_long && complete < (is_mate_settled ? k_enough_beside_mate : k_enough_complete)) {
        s.with_long.push_back(read);
    } else if (any_long) {
        leave_long(begin, end);
        s.long_left_out[read] = complete < k_enough_complete ? 1 : 0;
    }
}

/// Looks up the long seeds of a read.
void LockstepSeeder::look_up_long(uint32_t read) {
    LockstepScratch& s = scratch_;
    const uint32_t begin = s.syncmer_begin[read];
    const uint32_t end = s.syncmer_begin[read + 1];
    bool many = false;
    for (uint32_t i = begin; i < end; ++i) {
        if (!s.buckets[i].is_long()) continue;
        s.runs[i] = find_in_long(index_, s.buckets[i], s.syncmers[i].hash);
        many |= s.runs[i].size() > k_plain_hits;
    }
    if (many) s.repeats.push_back({read, begin, end, begin, end, 0, ~uint32_t{0}});
}

/// Narrows the seeds with many entries, in rounds of one seed per read and direction, so that the look-ups of
/// a block advance together.
///
/// A narrowed seed matches some locus up to a certain base. Seeds of the same direction that are within that
/// stretch are left out: what they could add differs from the read both in the stretch and at its end, and
/// where it matches beyond the end a later seed finds it.
void LockstepSeeder::narrow_repeats(std::span<const SeededRead> block) {
    LockstepScratch& s = scratch_;
    while (begin_round(block)) {
        narrow(index_, genome_, s.narrowings, k_narrowed_hits);
        widen();
        for (size_t i = 0; i < s.narrowings.size(); ++i) take_narrowed(i);
    }
    std::stable_sort(s.primary_entries.begin(), s.primary_entries.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
}

/// Fills scratch.narrowings with the next seeds; false if there are none.
bool LockstepSeeder::begin_round(std::span<const SeededRead> block) {
    LockstepScratch& s = scratch_;
    s.narrowings.clear();
    s.narrowed.clear();
    for (uint32_t i = 0; i < s.repeats.size(); ++i) {
        LockstepScratch::RepeatSeeds& repeat = s.repeats[i];
        for (bool found = false; repeat.next != repeat.end && !found; ++repeat.next) {
            const Syncmer& seed = s.syncmers[repeat.next];
            if (seed.reverse != 0 || s.runs[repeat.next].size() <= k_plain_hits) continue;
            found = seed.position + index_.kmer > repeat.matched_to;
            take_or_leave(found, block, repeat.next, i);
        }
        for (bool found = false; repeat.next_back != repeat.begin && !found; --repeat.next_back) {
            const Syncmer& seed = s.syncmers[repeat.next_back - 1];
            if (seed.reverse == 0 || s.runs[repeat.next_back - 1].size() <= k_plain_hits) continue;
            found = seed.position < repeat.matched_from;
            take_or_leave(found, block, repeat.next_back - 1, i);
        }
    }
    return !s.narrowings.empty();
}

void LockstepSeeder::leave_long(uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) {
        if (scratch_.buckets[i].is_long()) leave(i);
    }
}

void LockstepSeeder::leave(uint32_t seed) {
    scratch_.runs[seed] = {};
    scratch_.left_out_bp[seed] = k_all_left_out;
}

void LockstepSeeder::take_or_leave(bool take, std::span<const SeededRead> block, uint32_t seed,
                                   uint32_t repeat) {
    if (take) {
        add_narrowing(block[scratch_.repeats[repeat].read], seed);
        scratch_.narrowed.push_back({seed, repeat});
    } else {
        leave(seed);
    }
}

bool LockstepSeeder::any_on_primary(std::span<const SeedEntry> entries) const {
    return std::any_of(entries.begin(), entries.end(),
                       [this](SeedEntry entry) { return !is_alternate(entry); });
}

void LockstepSeeder::take_narrowed(size_t index) {
    LockstepScratch& s = scratch_;
    const auto& [seed_index, repeat_index] = s.narrowed[index];
    const Narrowing& search = s.narrowings[index];
    s.runs[seed_index] = search.run;
    s.left_out_bp[seed_index] = search.left_out_bp;
    const auto at = std::lower_bound(s.widened_from.begin(), s.widened_from.end(), index);
    if (at != s.widened_from.end() && *at == index) {
        add_primary_entries(s.widened[static_cast<size_t>(at - s.widened_from.begin())], index);
        return;  // that an ALT contig matches the read does not make the seeds within that stretch useless
    }
    const Syncmer& seed = s.syncmers[seed_index];
    const auto shared = static_cast<uint32_t>(search.shared_bp);
    LockstepScratch::RepeatSeeds& repeat = s.repeats[repeat_index];
    if (seed.reverse != 0)
        repeat.matched_from = seed.position - shared;
    else
        repeat.matched_to = seed.position + index_.kmer + shared;
}

/// Copies on ALT contigs must not drive the primary assembly out of a narrowed run: where they have left few
/// entries of it, the run is narrowed once more, to more entries.
void LockstepSeeder::widen() {
    LockstepScratch& s = scratch_;
    s.widened.clear();
    s.widened_from.clear();
    if (genome_.alternate_count == 0) return;
    constexpr auto k_enough = static_cast<std::ptrdiff_t>(k_narrowed_hits / 2);
    for (size_t i = 0; i < s.narrowings.size(); ++i) {
        const std::span<const SeedEntry> kept = s.narrowings[i].run;
        const auto on_primary =
            std::count_if(kept.begin(), kept.end(), [this](SeedEntry entry) { return !is_alternate(entry); });
        if (on_primary >= k_enough) continue;
        s.widened.push_back(s.narrowings[i]);
        s.widened.back().run = s.runs[s.narrowed[i].seed];
        s.widened_from.push_back(static_cast<uint32_t>(i));
    }
    narrow(index_, genome_, s.widened, k_narrowed_beside_alternates);
}

/// Of a widened narrowing, the entries on the primary assembly are used beside those that were kept.
void LockstepSeeder::add_primary_entries(const Narrowing& wider, size_t index) {
    LockstepScratch& s = scratch_;
    const std::span<const SeedEntry> known = s.narrowings[index].run;
    for (const SeedEntry& entry : wider.run) {
        const bool is_known = &entry >= known.data() && &entry < known.data() + known.size();
        if (!is_known && !is_alternate(entry)) s.primary_entries.emplace_back(s.narrowed[index].seed, entry);
    }
    s.left_out_bp[s.narrowed[index].seed] = wider.left_out_bp;
}

/// The read's own bases after the k-mer, in the k-mer's canonical direction.
void LockstepSeeder::add_narrowing(const SeededRead& read, uint32_t index) {
    const Syncmer& seed = scratch_.syncmers[index];
    const uint32_t k = index_.kmer;
    const auto length = static_cast<uint32_t>(read.codes.size());
    const uint64_t* own = read.words + (seed.reverse != 0 ? strand_words(length) : 0);
    const uint32_t begin = (seed.reverse != 0 ? length - k - seed.position : seed.position) + k;
    Narrowing& search = scratch_.narrowings.emplace_back();
    search.run = scratch_.runs[index];
    search.length = std::min(length - begin, k_context_bases);
    for (uint32_t base = 0; base < search.length; base += 32)
        search.context[base / 32] = reverse_bases(word_at(own, begin + base));
}

LockstepSeeder::Found LockstepSeeder::collect(size_t read, std::vector<uint64_t>& hits,
                                              std::vector<DistinctPart>& parts) const {
    const LockstepScratch& s = scratch_;
    const uint32_t begin = s.syncmer_begin[read];
    const uint32_t end = s.syncmer_begin[read + 1];
    const uint32_t k = index_.kmer;
    const auto length = static_cast<uint32_t>(block_[read].codes.size());
    const size_t first_hit = hits.size();
    Found found;
    uint32_t complete_to = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const Syncmer& seed = s.syncmers[i];
        if (s.left_out_bp[i] == k_none_left_out && seed.position >= complete_to) {
            ++found.complete_seeds;
            complete_to = seed.position + k;
        }
        for (const SeedEntry entry : s.runs[i])
            hits.push_back(hit_of(length, k, seed.position, seed.reverse != 0, entry));
    }
    if (!s.primary_entries.empty()) {
        auto more = std::lower_bound(s.primary_entries.begin(), s.primary_entries.end(), begin,
                                     [](const auto& entry, uint32_t seed) { return entry.first < seed; });
        for (; more != s.primary_entries.end() && more->first < end; ++more) {
            const Syncmer& seed = s.syncmers[more->first];
            hits.push_back(hit_of(length, k, seed.position, seed.reverse != 0, more->second));
        }
    }
    found.narrowed = add_distinct_parts(s, begin, end, length, k, hits.size() - first_hit,
                                        s.long_left_out[read] != 0, parts);
    return found;
}

bool add_distinct_parts(const LockstepScratch& seeds, uint32_t begin, uint32_t end, uint32_t length,
                        uint32_t k, size_t hits, bool long_left_out, std::vector<DistinctPart>& parts) {
    const auto left_out = std::span(seeds.left_out_bp).subspan(begin, end - begin);
    const bool narrowed =
        long_left_out || std::any_of(left_out.begin(), left_out.end(), [](int32_t left_out_bp) {
            return left_out_bp != k_none_left_out && left_out_bp != k_all_left_out;
        });
    if (!narrowed && hits <= k_max_diagonals) return false;
    const auto first = static_cast<std::ptrdiff_t>(parts.size());
    for (uint32_t i = begin; i < end; ++i) {
        if (seeds.runs[i].empty() || seeds.left_out_bp[i] == k_all_left_out) continue;
        const Syncmer& seed = seeds.syncmers[i];
        // Up to the first base that no entry shares, in the k-mer's canonical direction.
        const auto more = static_cast<uint32_t>(seeds.left_out_bp[i] + 1);
        const uint32_t behind = seed.reverse != 0 ? seed.position : length - seed.position - k;
        if (more > std::min(behind, k_context_bases)) continue;
        const uint32_t from = seed.reverse != 0 ? seed.position - more : seed.position;
        parts.push_back({static_cast<uint16_t>(from), static_cast<uint16_t>(from + k + more)});
    }
    std::sort(parts.begin() + first, parts.end(), [](DistinctPart a, DistinctPart b) {
        return a.end != b.end ? a.end < b.end : a.begin < b.begin;
    });
    return narrowed;
}

}  // namespace gannet::kernels
