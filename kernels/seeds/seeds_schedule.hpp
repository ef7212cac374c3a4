// SPDX-License-Identifier: MIT
// Provides the device schedule of seeding: what one warp does with one read after the other.
//
// A warp runs phases: each(phase) calls phase(lane) for its 32 lanes, which share nothing but the warp's
// memory, and what a phase writes is seen by those after it. ballot(phase) collects a bit of each lane, sum()
// a number. What is outside of phases is the same on all lanes. Lanes are
//   k-mers of the read, 32 at a time, where syncmers are found;
//   seeds, where they are looked up, and where hits are written;
//   entries of a run, where a seed is narrowed: 32 places of the run are compared at a time, so that a run of
//   10^5 entries takes four steps instead of the seventeen of a binary search.
#pragma once

#include "kernels/seeds/seed_bucket.hpp"
#include "kernels/seeds/seeds_cell.hpp"
#include "kernels/seeds/seeds_warp_read.hpp"

#include <cstdint>

namespace gannet::kernels::seeds {

/// A read as a warp works on it. Holds references only.
template <class Warp>
class WarpSeeder : WarpRead<Warp> {
  public:
    using WarpRead<Warp>::WarpRead;

    constexpr void run() {
        if (length_ > job_.longest_bp) {
            leave_to_host();
            return;
        }
        if (is_seeded(length_)) find_hits();
        count_hits();
        write();
    }

  private:
    using WarpRead<Warp>::position;
    using WarpRead<Warp>::is_reverse;
    using WarpRead<Warp>::is_long;
    using WarpRead<Warp>::is_first;
    using WarpRead<Warp>::left_out;
    using WarpRead<Warp>::entry;
    using WarpRead<Warp>::on_alternate;
    using WarpRead<Warp>::each_seed;
    using WarpRead<Warp>::any_seed;
    using WarpRead<Warp>::disjoint;
    using WarpRead<Warp>::find_seeds;
    using WarpRead<Warp>::mark_first;
    using WarpRead<Warp>::take_read;
    using WarpRead<Warp>::warp_;
    using WarpRead<Warp>::job_;
    using WarpRead<Warp>::seeds_;
    using WarpRead<Warp>::scratch_;
    using WarpRead<Warp>::read_;
    using WarpRead<Warp>::length_;
    using WarpRead<Warp>::k_;
    using WarpRead<Warp>::count_;

    constexpr bool is_seeded(uint32_t length) const { return length >= k_ && length <= k_seeds_max_read; }

    /// Where it matters whether the mate is settled, the mate takes the place of the read's seeds for a
    /// while. Everything is called at one place, so that it becomes part of the kernel.
    constexpr void find_hits() {
        const uint32_t read = read_;
        const uint32_t mate = read ^ 1;
        bool is_mate_known = false;
        bool is_mate_settled = false;
        for (;;) {
            find_seeds();
            mark_first();
            look_up(true);
            const bool settled = is_settled();
            if (read_ != read) {
                is_mate_known = true;
                is_mate_settled = settled;
                take_read(read);
                continue;
            }
            if (settled) {
                leave_others();
                return;
            }
            look_up(false);
            if (is_mate_known || !depends_on_mate()) break;
            take_read(mate);
        }
        choose(is_mate_settled);
    }

    /// Of the first seeds or of the others: the entries of those that are not long; of the long ones the
    /// bucket.
    constexpr void look_up(bool first) const {
        each_seed([&](uint32_t seed) {
            if (is_first(seed) != first) return;
            const uint64_t hash = seeds_.hash[seed];
            const SeedBucket bucket = bucket_of(job_.index, hash);
            seeds_.wide_count[seed] = 0;
            seeds_.left_out[seed] = static_cast<uint32_t>(k_none_left_out);
            SeedRun run{bucket.begin, 0};
            if (bucket.is_long()) {
                seeds_.place[seed] |= k_long_seed;
            } else {
                run = run_in_short(job_.index, bucket, SeedEntry::fingerprint_of(hash));
            }
            seeds_.run_begin[seed] = run.begin;
            seeds_.run_count[seed] = run.count;
        });
    }

    constexpr void leave(uint32_t seed) const {
        seeds_.run_count[seed] = 0;
        seeds_.left_out[seed] = static_cast<uint32_t>(k_all_left_out);
    }

    constexpr bool is_unique(uint32_t seed) const {
        return seeds_.run_count[seed] == 1 && !on_alternate(seeds_.run_begin[seed]);
    }

    /// Whether the first seeds settle the read.
    constexpr bool is_settled() const {
        UniquePlace place;
        for (uint32_t first = 0; first < count_; first += k_warp_lanes) {
            uint32_t bits = warp_.ballot([&](uint32_t lane) {
                const uint32_t seed = first + lane;
                return seed < count_ && is_first(seed) && is_unique(seed);
            });
            for (; bits != 0; bits &= bits - 1) {
                const uint32_t seed = first + trailing_zeros(bits);
                const SeedEntry only = entry(seeds_.run_begin[seed]);
                place.add(hit_of(length_, k_, position(seed), is_reverse(seed), only), position(seed), k_);
            }
        }
        return place.settles(length_);
    }

    /// Leaves out what a read that is settled does not need.
    constexpr void leave_others() const {
        each_seed([&](uint32_t seed) {
            if (!is_first(seed)) seeds_.wide_count[seed] = 0;
            if (!is_first(seed) || is_long(seed) || seeds_.run_count[seed] > k_hits_beside_unique)
                leave(seed);
        });
    }

    /// Counts what choose() goes by. Whether the mate is settled decides nothing else.
    constexpr bool depends_on_mate() {
        unique_ = disjoint([&](uint32_t seed) { return is_unique(seed); });
        has_long_ = any_seed([&](uint32_t seed) { return is_long(seed); });
        complete_ = disjoint([&](uint32_t seed) {
            bool any = false;
            for (uint32_t i = 0; i < seeds_.run_count[seed] && !any; ++i)
                any = !on_alternate(uint64_t{seeds_.run_begin[seed]} + i);
            return any;
        });
        return has_long_ && unique_ < k_enough_unique && complete_ < k_enough_complete &&
               complete_ >= k_enough_beside_mate && job_.reads.has_mate(read_) &&
               is_seeded(job_.reads.length[read_ ^ 1]);
    }

    constexpr void choose(bool is_mate_settled) {
        if (unique_ >= k_enough_unique) {
            each_seed([&](uint32_t seed) {
                if (is_long(seed) || seeds_.run_count[seed] > k_hits_beside_unique) leave(seed);
            });
            return;
        }
        if (!has_long_) return;
        long_left_out_ = is_mate_settled;
        if (complete_ >= k_enough_complete || long_left_out_) {
            each_seed([&](uint32_t seed) {
                if (is_long(seed)) leave(seed);
            });
            return;
        }
        each_seed([&](uint32_t seed) {
            if (!is_long(seed)) return;
            const SeedRun run = run_in_long(job_.index, {seeds_.run_begin[seed], k_long_mark},
                                            SeedEntry::fingerprint_of(seeds_.hash[seed]));
            seeds_.run_begin[seed] = run.begin;
            seeds_.run_count[seed] = run.count;
        });
        if (any_seed([&](uint32_t seed) { return seeds_.run_count[seed] > k_plain_hits; })) narrow_all();
    }

    constexpr void narrow_all() {
        uint32_t matched_to = 0;
        for (uint32_t seed = 0; seed < count_; ++seed) {
            if (is_reverse(seed) || seeds_.run_count[seed] <= k_plain_hits) continue;
            const uint32_t end = position(seed) + k_;
            if (end <= matched_to) {
                leave_one(seed);
            } else if (const int32_t shared_bp = narrow(seed); shared_bp != k_widened) {
                matched_to = end + static_cast<uint32_t>(shared_bp);
            }
        }
        uint32_t matched_from = ~uint32_t{0};
        for (uint32_t seed = count_; seed-- > 0;) {
            if (!is_reverse(seed) || seeds_.run_count[seed] <= k_plain_hits) continue;
            if (position(seed) >= matched_from) {
                leave_one(seed);
            } else if (const int32_t shared_bp = narrow(seed); shared_bp != k_widened) {
                matched_from = position(seed) - static_cast<uint32_t>(shared_bp);
            }
        }
    }

    constexpr void leave_one(uint32_t seed) const {
        warp_.each([&](uint32_t lane) {
            if (lane == 0) leave(seed);
        });
    }

    static constexpr int32_t k_widened = -1;

    struct Kept {
        uint32_t begin = 0;
        uint32_t end = 0;
        int32_t left_out_bp = 0;
        int32_t shared_bp = 0;
    };

    /// Returns the most bases that an entry shares with the seed's context, or k_widened.
    constexpr int32_t narrow(uint32_t seed) const {
        const uint32_t first = seeds_.run_begin[seed];
        const uint32_t last = first + seeds_.run_count[seed];
        const uint32_t oriented = (is_reverse(seed) ? length_ - k_ - position(seed) : position(seed)) + k_;
        const uint32_t length = length_ - oriented < k_context_bases ? length_ - oriented : k_context_bases;
        const uint64_t* const own = job_.reads.words(read_, is_reverse(seed) ? 1 : 0);
        warp_.each([&](uint32_t lane) {
            if (lane * 32 < length)
                scratch_.context[lane] = reverse_bases(word_at(own, oriented + lane * 32));
        });
        const uint32_t place = place_of_context(first, last, length);
        const Kept kept = grow(first, last, place, length, k_narrowed_hits);
        Kept wider;
        const bool is_wide =
            job_.genome.alternate_count != 0 && count_primary(kept.begin, kept.end) < k_narrowed_hits / 2;
        if (is_wide) wider = grow(first, last, place, length, k_narrowed_beside_alternates);
        warp_.each([&](uint32_t lane) {
            if (lane != 0) return;
            seeds_.run_begin[seed] = kept.begin;
            seeds_.run_count[seed] = kept.end - kept.begin;
            seeds_.wide_begin[seed] = wider.begin;
            seeds_.wide_count[seed] = wider.end - wider.begin;
            seeds_.left_out[seed] = static_cast<uint32_t>(is_wide ? wider.left_out_bp : kept.left_out_bp);
        });
        return is_wide ? k_widened : kept.shared_bp;
    }

    constexpr uint32_t count_primary(uint32_t begin, uint32_t end) const {
        return warp_.sum([&](uint32_t lane) {
            uint32_t count = 0;
            for (uint32_t at = begin + lane; at < end; at += k_warp_lanes) count += on_alternate(at) ? 0 : 1;
            return count;
        });
    }

    constexpr ContextOrder compare(uint32_t at, uint32_t length) const {
        return compare_long(job_.genome.packed, job_.genome.words, k_, entry(at), scratch_.context, length);
    }

    /// First entry of a run that is not before the context.
    constexpr uint32_t place_of_context(uint32_t low, uint32_t high, uint32_t length) const {
        while (low != high) {
            const uint32_t span = high - low;
            const uint32_t lanes = span < k_warp_lanes ? span : k_warp_lanes;
            const auto place = [&](uint32_t lane) {
                return span <= k_warp_lanes
                           ? low + lane
                           : low + static_cast<uint32_t>(uint64_t{span} * (lane + 1) / (k_warp_lanes + 1));
            };
            // Those before the context are the first ones.
            const uint32_t before = bit_count(warp_.ballot(
                [&](uint32_t lane) { return lane < lanes && compare(place(lane), length).less; }));
            const uint32_t next_low = before == 0 ? low : place(before - 1) + 1;
            if (before < lanes) high = place(before);
            low = next_low;
        }
        return low;
    }

    /// Keeps up to `most` entries around `place`.
    constexpr Kept grow(uint32_t first, uint32_t last, uint32_t place, uint32_t length, uint32_t most) const {
        // shared_bp[most + 1 + i] is that of entry place + i.
        warp_.each([&](uint32_t lane) {
            for (uint32_t i = lane; i < 2 * (most + 1); i += k_warp_lanes) {
                const int64_t at = int64_t{place} + i - (most + 1);
                scratch_.shared_bp[i] =
                    at < first || at >= last
                        ? int16_t{-1}
                        : static_cast<int16_t>(compare(static_cast<uint32_t>(at), length).shared);
            }
        });
        uint32_t begin = most + 1;
        uint32_t end = most + 1;
        int32_t before = scratch_.shared_bp[begin - 1];
        int32_t behind = scratch_.shared_bp[end];
        Kept kept;
        kept.shared_bp = before > behind ? before : behind > 0 ? behind : 0;
        while (end - begin < most && (before >= 0 || behind >= 0)) {
            if (behind >= before) {
                behind = scratch_.shared_bp[++end];
            } else {
                before = scratch_.shared_bp[--begin - 1];
            }
        }
        kept.begin = place + begin - (most + 1);
        kept.end = place + end - (most + 1);
        kept.left_out_bp = before > behind ? before : behind;
        return kept;
    }

    /// Calls use(entry) for the entries of a seed that are used beside those that were kept.
    template <class Use>
    constexpr void each_beside(uint32_t seed, const Use& use) const {
        const uint32_t wide = seeds_.wide_count[seed];
        if (wide == 0) return;  // of a seed that was left out the rest may never have been written
        const uint32_t begin = seeds_.run_begin[seed];
        const uint32_t end = begin + seeds_.run_count[seed];
        for (uint32_t i = 0; i < wide; ++i) {
            const uint32_t at = seeds_.wide_begin[seed] + i;
            if ((at < begin || at >= end) && !on_alternate(at)) use(at);
        }
    }

    constexpr void count_hits() {
        each_seed([&](uint32_t seed) {
            seeds_.hits_before[seed] = seeds_.run_count[seed];
            uint32_t beside = 0;
            each_beside(seed, [&](uint32_t) { ++beside; });
            seeds_.beside_before[seed] = beside;
        });
        add_up(seeds_.hits_before);
        add_up(seeds_.beside_before);
    }

    /// Puts in place of each of count_ values the sum of those before it, and behind them the sum of all.
    constexpr void add_up(uint32_t* values) const {
        uint32_t total = 0;
        for (uint32_t first = 0; first < count_; first += k_warp_lanes) {
            const uint32_t sum =
                warp_.sum([&](uint32_t lane) { return first + lane < count_ ? values[first + lane] : 0; },
                          scratch_.before);
            warp_.each([&](uint32_t lane) {
                if (first + lane < count_) values[first + lane] = total + scratch_.before[lane];
            });
            total += sum;
        }
        warp_.each([&](uint32_t lane) {
            if (lane == 0) values[count_] = total;
        });
    }

    /// Puts the distinct parts into seeds_.hash, one per seed that has any; returns how many there are.
    constexpr uint32_t find_parts() const {
        uint32_t parts = 0;
        for (uint32_t first = 0; first < count_; first += k_warp_lanes) {
            const auto more_of = [&](uint32_t seed) { return static_cast<uint32_t>(left_out(seed) + 1); };
            const uint32_t bits = warp_.ballot([&](uint32_t lane) {
                const uint32_t seed = first + lane;
                if (seed >= count_ || seeds_.run_count[seed] == 0 || left_out(seed) == k_all_left_out)
                    return false;
                const uint32_t behind = is_reverse(seed) ? position(seed) : length_ - position(seed) - k_;
                return more_of(seed) <= (behind < k_context_bases ? behind : k_context_bases);
            });
            warp_.each([&](uint32_t lane) {
                if ((bits >> lane & 1) == 0) return;
                const uint32_t seed = first + lane;
                const uint32_t begin = is_reverse(seed) ? position(seed) - more_of(seed) : position(seed);
                const uint64_t end = begin + k_ + more_of(seed);
                seeds_.hash[parts + bit_count(bits & ((uint32_t{1} << lane) - 1))] = end << 16 | begin;
            });
            parts += bit_count(bits);
        }
        return parts;
    }

    constexpr void write() const {
        const uint32_t kept = seeds_.hits_before[count_];
        const uint32_t hits = kept + seeds_.beside_before[count_];
        const uint32_t complete = disjoint([&](uint32_t seed) { return left_out(seed) == k_none_left_out; });
        const bool narrowed =
            long_left_out_ || any_seed([&](uint32_t seed) {
                return left_out(seed) != k_none_left_out && left_out(seed) != k_all_left_out;
            });
        const uint32_t parts = narrowed || hits > k_max_diagonals ? find_parts() : 0;
        // A claim that fails is not given back: of a full pool that loses the room of one read for each warp.
        // But it takes nothing of the other pool.
        const uint64_t hit_begin = warp_.take(job_.pools.hits_taken, hits);
        if (hit_begin + hits > job_.pools.hit_capacity) {
            leave_to_host();
            return;
        }
        const uint64_t part_begin = warp_.take(job_.pools.parts_taken, parts);
        if (part_begin + parts > job_.pools.part_capacity) {
            leave_to_host();
            return;
        }
        warp_.each([&](uint32_t lane) {
            if (lane != 0) return;
            job_.results.hit_begin[read_] = hit_begin;
            job_.results.hit_end[read_] = hit_begin + hits;
            job_.results.complete_seeds[read_] = complete;
            job_.results.narrowed[read_] = narrowed ? 1 : 0;
            job_.results.part_begin[read_] = static_cast<uint32_t>(part_begin);
            job_.results.part_end[read_] = static_cast<uint32_t>(part_begin) + parts;
        });
        write_hits(job_.pools.hits + hit_begin, job_.pools.hits + hit_begin + kept);
        write_parts(job_.pools.parts + part_begin, parts);
    }

    constexpr void leave_to_host() const {
        warp_.each([&](uint32_t lane) {
            if (lane == 0) job_.results.hit_begin[read_] = job_.results.hit_end[read_] = k_no_hits_there;
        });
    }

    constexpr void write_hits(uint64_t* kept, uint64_t* beside) const {
        each_seed([&](uint32_t seed) {
            const auto hit = [&](uint64_t at) {
                return hit_of(length_, k_, position(seed), is_reverse(seed), entry(at));
            };
            uint64_t* to = kept + seeds_.hits_before[seed];
            for (uint32_t i = 0; i < seeds_.run_count[seed]; ++i)
                *to++ = hit(uint64_t{seeds_.run_begin[seed]} + i);
            to = beside + seeds_.beside_before[seed];
            each_beside(seed, [&](uint32_t at) { *to++ = hit(at); });
        });
    }

    /// In order: each part to its rank.
    constexpr void write_parts(DistinctPart* to, uint32_t parts) const {
        warp_.each([&](uint32_t lane) {
            for (uint32_t i = lane; i < parts; i += k_warp_lanes) {
                const uint64_t own = seeds_.hash[i];
                uint32_t rank = 0;
                for (uint32_t j = 0; j < parts; ++j) {
                    const uint64_t other = seeds_.hash[j];
                    rank += other < own || (other == own && j < i) ? 1 : 0;
                }
                to[rank] = {static_cast<uint16_t>(own & 0xffff), static_cast<uint16_t>(own >> 16)};
            }
        });
    }

    uint32_t unique_ = 0;    ///< disjoint seeds
    uint32_t complete_ = 0;  ///< disjoint seeds that are not long and have a primary entry
    bool has_long_ = false;
    bool long_left_out_ = false;  ///< without enough others
};

}  // namespace gannet::kernels::seeds
