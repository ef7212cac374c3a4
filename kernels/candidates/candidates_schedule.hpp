// SPDX-License-Identifier: MIT
// Provides the device schedule of the search for candidates: what one warp does for one read.
//
// It is a sequence of phases, between which the lanes of the warp wait for one another. In a phase each lane
// has hits, diagonals or candidates of its own, dealt round, and reads only what earlier phases have written;
// lanes speak to each other by ballots, sums and atomic maxima only. A value of the warp that decides what
// comes next is written by one phase per read and is not written by the phase after it, so that no lane can
// read it too late.
//
// kernels/warp.hpp describes what a Warp offers. All functions are constexpr, so that nvcc
// --expt-relaxed-constexpr takes them for the device.
#pragma once

#include "kernels/candidates/candidates_cell.hpp"
#include "kernels/candidates/candidates_order.hpp"
#include "kernels/candidates/candidates_warps.hpp"

namespace gannet::kernels::candidates {

/// Which bases of a read differ from the reference on one diagonal, as one lane has them: a bit per base. The
/// words of the lanes are beside each other.
class LaneBits {
  public:
    constexpr LaneBits(LaneWords& memory, uint32_t lane) : memory_(&memory), lane_(lane) {}

    constexpr void clear(uint32_t length) {
        words_ = length / 32 + 1;
        for (uint32_t word = 0; word < words_; ++word) {
            differing(word) = ~uint32_t{0};
            marked(word) = 0;
        }
    }
    constexpr void set_word(uint32_t index, uint64_t bits, uint32_t bases) {
        differing(index) = bases < 32 ? every_second(bits) | ~uint32_t{0} << bases : every_second(bits);
    }
    constexpr void set_ambiguous_word(uint32_t index, uint64_t bits) {
        differing(index) |= every_second(bits);
        marked(index) |= every_second(bits);
    }
    constexpr bool ambiguous(uint32_t base) const { return (marked(base / 32) >> base % 32 & 1) != 0; }
    constexpr uint32_t run_end(uint32_t from) const {
        uint32_t word = from / 32;
        uint32_t bits = differing(word) >> from % 32 << from % 32;
        while (bits == 0) bits = differing(++word);  // the spare bases differ
        return 32 * word + trailing_zeros(bits);
    }
    constexpr uint32_t run_begin(uint32_t to) const {
        for (uint32_t word = to / 32 + 1; word-- > 0;) {
            const uint32_t bits =
                word == to / 32 ? differing(word) & ((uint32_t{1} << to % 32) - 1) : differing(word);
            if (bits != 0) return 32 * word + 32 - leading_zeros(bits);
        }
        return 0;
    }
    constexpr uint32_t matches_before(uint32_t to) const {
        uint32_t mismatches = 0;
        for (uint32_t word = 0; word < to / 32; ++word) mismatches += bit_count(differing(word));
        const uint32_t last = differing(to / 32) & ((uint32_t{1} << to % 32) - 1);
        return to - mismatches - bit_count(last);
    }
    constexpr BaseRange longest_run(uint32_t begin, uint32_t end) const {
        BaseRange best{begin, begin};
        for (uint32_t from = begin; from < end;) {
            const uint32_t to = run_end(from);
            if (to - from > best.end - best.begin) best = {from, to};
            from = to + 1;
        }
        return best;
    }

  private:
    /// The even bits of a word of two bits a base.
    static constexpr uint32_t every_second(uint64_t bits) {
        bits &= k_low_bits;
        bits = (bits | bits >> 1) & 0x3333333333333333;
        bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0f;
        bits = (bits | bits >> 4) & 0x00ff00ff00ff00ff;
        bits = (bits | bits >> 8) & 0x0000ffff0000ffff;
        return static_cast<uint32_t>(bits | bits >> 16);
    }
    constexpr uint32_t& differing(uint32_t word) { return memory_->differing[word * k_warp_lanes + lane_]; }
    constexpr uint32_t differing(uint32_t word) const {
        return memory_->differing[word * k_warp_lanes + lane_];
    }
    constexpr uint32_t& marked(uint32_t word) { return memory_->ambiguous[word * k_warp_lanes + lane_]; }
    constexpr uint32_t marked(uint32_t word) const { return memory_->ambiguous[word * k_warp_lanes + lane_]; }

    LaneWords* memory_;
    uint32_t lane_;
    uint32_t words_ = 0;
};

template <class Warp>
class ReadSchedule {
  public:
    constexpr ReadSchedule(const Warp& warp, const CandidateArrays& arrays, WarpShared& shared,
                           WarpScratch& scratch, uint32_t read)
        : warp_(warp), arrays_(arrays), shared_(shared), scratch_(scratch), read_(read) {}

    constexpr void run() const {
        if (!is_here()) {
            warp_.each([&](uint32_t lane) {
                if (lane == 0) arrays_.outcomes[read_] = {};
            });
            return;
        }
        load();
        sort_hits();
        find_diagonals();
        limit_diagonals();
        compare();
        classify();
        drop_redundant();
        limit_candidates();
        choose_extended();
        write();
    }

  private:
    /// Whether the warp takes the read; else the host does.
    constexpr bool is_here() const {
        return arrays_.hits.hit_begin[read_] != k_no_hits_there &&
               fits_warp(arrays_.reads.length[read_], hit_count());
    }
    constexpr uint32_t hit_count() const {
        return static_cast<uint32_t>(arrays_.hits.hit_end[read_] - arrays_.hits.hit_begin[read_]);
    }
    constexpr uint32_t length() const { return arrays_.reads.length[read_]; }

    /// take(k, place) for each k of `count` for which is(k), in order; how many these are is in `total` for
    /// the phases to come.
    template <class Is, class Take>
    constexpr void gather(uint32_t count, uint32_t& total, const Is& is, const Take& take) const {
        uint32_t found = 0;
        for (uint32_t first = 0; first < count; first += k_warp_lanes) {
            const uint32_t bits =
                warp_.ballot([&](uint32_t lane) { return first + lane < count && is(first + lane); });
            warp_.each([&](uint32_t lane) {
                if ((bits >> lane & 1) != 0)
                    take(first + lane, found + bit_count(bits & ((uint32_t{1} << lane) - 1)));
            });
            found += bit_count(bits);
        }
        warp_.each([&](uint32_t lane) {
            if (lane == 0) total = found;
        });
    }

    /// How many k of `count` there are for which is(k).
    template <class Is>
    constexpr uint32_t count_if(uint32_t count, const Is& is) const {
        uint32_t found = 0;
        for (uint32_t first = 0; first < count; first += k_warp_lanes) {
            found += bit_count(
                warp_.ballot([&](uint32_t lane) { return first + lane < count && is(first + lane); }));
        }
        return found;
    }

    constexpr void load() const {
        const uint32_t words = 2 * strand_words(length());
        const uint64_t* const packed = arrays_.reads.words(read_, 0);
        const bool ambiguous = arrays_.reads.is_ambiguous(read_);
        warp_.each([&](uint32_t lane) {
            for (uint32_t k = lane; k < words; k += k_warp_lanes) {
                shared_.packed[k] = packed[k];
                if (ambiguous) shared_.mask[k] = arrays_.reads.mask_words(read_, 0)[k];
            }
            if (lane != 0) return;
            shared_.left_out = {};
            shared_.most_dropped = shared_.most_pruned = 0;
        });
    }

    constexpr SingleRead single() const {
        SingleRead own = single_read(arrays_.reads, read_);
        own.packed = shared_.packed;
        if (own.mask != nullptr) own.mask = shared_.mask;
        return own;
    }

    /// The place of a hit is the number of those before it: there are few.
    constexpr void sort_hits() const {
        const uint64_t* const hits = arrays_.hits.hits + arrays_.hits.hit_begin[read_];
        const uint32_t count = hit_count();
        warp_.each([&](uint32_t lane) {
            for (uint32_t k = lane; k < count; k += k_warp_lanes) {
                uint32_t place = 0;
                for (uint32_t other = 0; other < count; ++other)
                    place += hits[other] < hits[k] || (hits[other] == hits[k] && other < k) ? 1 : 0;
                scratch_.hits[place] = hits[k];
            }
        });
    }

    constexpr void find_diagonals() const {
        const uint32_t count = hit_count();
        const uint32_t kmer = arrays_.parameters.kmer;
        gather(
            count, shared_.diagonals,
            [&](uint32_t k) { return k == 0 || scratch_.hits[k] >> 16 != scratch_.hits[k - 1] >> 16; },
            [&](uint32_t k, uint32_t place) {
                const uint64_t key = scratch_.hits[k] >> 16;
                uint32_t seeds = 0;
                uint32_t covered_to = 0;
                for (uint32_t hit = k; hit < count && scratch_.hits[hit] >> 16 == key; ++hit) {
                    const uint32_t position = position_of_hit(scratch_.hits[hit]);
                    seeds += position + kmer - std::max(position, covered_to);
                    covered_to = position + kmer;
                }
                scratch_.diagonals[place] = {key, seeds};
            });
    }

    constexpr bool is_alternate(const Diagonal& diagonal) const {
        return arrays_.genome.is_alternate(diagonal_of(diagonal.key) + length() / 2);
    }

    constexpr void limit_diagonals() const {
        const uint32_t count = shared_.diagonals;
        warp_.each([&](uint32_t lane) {
            for (uint32_t k = lane; k < count; k += k_warp_lanes)
                scratch_.part[k] = count > k_max_diagonals && is_alternate(scratch_.diagonals[k]) ? 1 : 0;
        });
        warp_.each([&](uint32_t lane) {
            uint32_t dropped = 0;
            for (uint32_t k = lane; k < count; k += k_warp_lanes) {
                uint32_t better = 0;
                uint32_t primary = 0;
                for (uint32_t other = 0; count > k_max_diagonals && other < count; ++other) {
                    primary += scratch_.part[other] == 0 ? 1 : 0;
                    better += scratch_.part[other] == scratch_.part[k] &&
                                      covers_more(scratch_.diagonals[other], scratch_.diagonals[k])
                                  ? 1
                                  : 0;
                }
                scratch_.kept[k] = better < k_max_diagonals ? 1 : 0;
                if (better >= k_max_diagonals && (scratch_.part[k] == 0 || primary == 0))
                    dropped = std::max(dropped, scratch_.diagonals[k].seeds);
            }
            if (dropped != 0) warp_.raise(&shared_.most_dropped, dropped);
        });
        gather(
            count, shared_.compared, [&](uint32_t k) { return scratch_.kept[k] != 0; },
            [&](uint32_t k, uint32_t place) { scratch_.compared[place] = scratch_.diagonals[k]; });
        warp_.each([&](uint32_t lane) {
            if (lane != 0) return;
            shared_.left_out.dropped_bp = shared_.most_dropped;
            shared_.left_out.truncated = shared_.most_dropped != 0 ? 1 : 0;
        });
    }

    static constexpr bool is_better(const Diagonal& a, const Diagonal& b) {
        return a.seeds != b.seeds ? a.seeds > b.seeds : a.key < b.key;
    }

    /// Each lane compares diagonals of its own with the read, and finds the best covered of all.
    constexpr void compare() const {
        const SingleRead own = single();
        const uint32_t count = shared_.compared;
        warp_.each([&](uint32_t lane) {
            LaneBits bits(shared_.lanes, lane);
            for (uint32_t k = lane; k < count; k += k_warp_lanes) {
                Candidate found;
                found.diagonal = diagonal_of(scratch_.compared[k].key);
                found.strand = strand_of(scratch_.compared[k].key);
                found.seeds = scratch_.compared[k].seeds;
                scratch_.kept[k] =
                    candidates::compare(arrays_.genome, arrays_.parameters, own, bits, found) ? 1 : 0;
                scratch_.found[k] = found;
            }
            if (lane != 0) return;
            uint32_t best = 0;
            for (uint32_t k = 1; k < count; ++k) {
                if (is_better(scratch_.compared[k], scratch_.compared[best])) best = k;
            }
            shared_.best = best;
        });
    }

    /// Those that are not pruned become `list`, in the order of strand and diagonal.
    constexpr void classify() const {
        const uint32_t count = shared_.compared;
        const uint32_t best = shared_.best;
        const bool settled = count > 1 && scratch_.kept[best] != 0 && settles(scratch_.found[best], length());
        const int32_t pruned_below = arrays_.parameters.pruned_below();
        const uint32_t pruned_by_warp = warp_.sum([&](uint32_t lane) {
            uint32_t pruned = 0;
            int32_t highest = 0;
            for (uint32_t k = lane; settled && k < count; k += k_warp_lanes) {
                if (k == best || !may_be_pruned(scratch_.compared[best].key, scratch_.compared[best].seeds,
                                                scratch_.compared[k], arrays_.parameters.band))
                    continue;
                if (scratch_.kept[k] != 0) {
                    const Candidate& found = scratch_.found[k];
                    if (found.alternate || found.score >= scratch_.found[best].score - pruned_below) continue;
                    highest = std::max(highest, found.score);
                    scratch_.kept[k] = 0;
                }
                ++pruned;
            }
            if (highest != 0) warp_.raise(&shared_.most_pruned, static_cast<uint32_t>(highest));
            return pruned;
        });
        gather(
            count, shared_.listed, [&](uint32_t k) { return scratch_.kept[k] != 0; },
            [&](uint32_t k, uint32_t place) {
                scratch_.list[place] = static_cast<uint16_t>(k);
                scratch_.gone[place] = 0;
            });
        warp_.each([&](uint32_t lane) {
            if (lane != 0) return;
            shared_.pruned = pruned_by_warp;
            shared_.left_out.pruned_score = static_cast<int32_t>(shared_.most_pruned);
        });
    }

    constexpr const Candidate& listed(uint32_t k) const { return scratch_.found[scratch_.list[k]]; }
    constexpr bool within_band(uint32_t first, uint32_t second) const {
        const Candidate& a = listed(first);
        const Candidate& b = listed(second);
        return a.strand == b.strand && b.diagonal - a.diagonal <= arrays_.parameters.band;
    }

    /// One candidate after another against those behind it, which the lanes share. Those up to the first that
    /// takes its place are compared with it.
    constexpr void drop_redundant() const {
        const uint32_t count = shared_.listed;
        const int32_t mismatch_loss = arrays_.parameters.scoring.mismatch_loss();
        for (uint32_t one = 0; one + 1 < count; ++one) {
            if (!within_band(one, one + 1) || scratch_.gone[one] != 0) continue;
            warp_.each([&](uint32_t lane) {
                uint32_t stop = count;
                for (uint32_t k = one + 1 + lane; k < count && within_band(one, k); k += k_warp_lanes) {
                    if (scratch_.gone[k] != 0 || listed(k).score <= listed(one).score ||
                        !on_same_stretch(listed(one), listed(k), mismatch_loss))
                        continue;
                    stop = k;
                    break;
                }
                shared_.stops[lane] = stop;
            });
            warp_.each([&](uint32_t lane) {
                uint32_t stop = count;
                for (uint32_t other = 0; other < k_warp_lanes; ++other)
                    stop = std::min(stop, shared_.stops[other]);
                for (uint32_t k = one + 1 + lane; k < stop && within_band(one, k); k += k_warp_lanes) {
                    if (scratch_.gone[k] == 0 && on_same_stretch(listed(one), listed(k), mismatch_loss))
                        scratch_.gone[k] = 1;
                }
                if (lane == 0 && stop != count) scratch_.gone[one] = 1;
            });
        }
    }

    constexpr bool is_left(uint32_t k) const { return scratch_.gone[k] == 0; }

    /// Places those that are left, and limits them, in `order`.
    constexpr void limit_candidates() const {
        const uint32_t count = shared_.listed;
        const uint32_t left = count_if(count, [&](uint32_t k) { return is_left(k); });
        const uint32_t alternate =
            count_if(count, [&](uint32_t k) { return is_left(k) && listed(k).alternate; });
        const uint32_t primary = left - alternate;
        const uint32_t kept_primary = primary < k_max_candidates ? primary : k_max_candidates;
        warp_.each([&](uint32_t lane) {
            if (lane != 0) return;
            if (count > 1 && primary + shared_.pruned > k_max_candidates) shared_.left_out.truncated = 1;
            shared_.kept_primary = kept_primary;
            shared_.kept = kept_primary + (alternate < k_max_candidates ? alternate : k_max_candidates);
        });
        warp_.each([&](uint32_t lane) {
            for (uint32_t k = lane; k < count; k += k_warp_lanes) {
                if (!is_left(k)) continue;
                const Candidate& own = listed(k);
                uint32_t rank = 0;
                for (uint32_t other = 0; other < count; ++other)
                    rank += is_left(other) && comes_before(listed(other), own) ? 1 : 0;
                if (own.alternate) rank -= primary;
                if (rank < k_max_candidates)
                    scratch_.order[own.alternate ? kept_primary + rank : rank] = scratch_.list[k];
                if (rank == k_max_candidates && (!own.alternate || primary == 0)) {
                    shared_.left_out.truncated = 1;
                    shared_.left_out.dropped_score = own.score;
                }
            }
        });
    }

    constexpr Candidate& ordered(uint32_t place) const { return scratch_.found[scratch_.order[place]]; }

    /// Where the part of the candidate at `place` begins.
    constexpr uint32_t part_begin(uint32_t place) const {
        return place < shared_.kept_primary ? 0 : shared_.kept_primary;
    }

    constexpr void choose_extended() const {
        const uint32_t kept = shared_.kept;
        const int32_t mismatch_loss = arrays_.parameters.scoring.mismatch_loss();
        warp_.each([&](uint32_t lane) {
            for (uint32_t place = lane; place < kept; place += k_warp_lanes) {
                const Candidate& first = ordered(part_begin(place));
                const Candidate& own = ordered(place);
                scratch_.kept[place] =
                    is_gapped(own) && !is_pruned(own, first.score, first.seeds, mismatch_loss) ? 1 : 0;
            }
        });
        warp_.each([&](uint32_t lane) {
            for (uint32_t place = lane; place < kept; place += k_warp_lanes) {
                uint32_t before = 0;
                for (uint32_t other = part_begin(place); other < place; ++other)
                    before += scratch_.kept[other];
                Candidate& own = ordered(place);
                if (scratch_.kept[place] == 0 || before >= k_max_extended)
                    own.left_gapped = own.right_gapped = false;
                scratch_.sides[place] =
                    static_cast<uint8_t>((own.left_gapped ? 1 : 0) + (own.right_gapped ? 1 : 0));
            }
        });
        uint32_t jobs = 0;
        for (uint32_t first = 0; first < kept; first += k_warp_lanes) {
            const auto sides_of = [&](uint32_t place) {
                return place < kept ? uint32_t{scratch_.sides[place]} : 0;
            };
            const uint32_t sides =
                warp_.sum([&](uint32_t lane) { return sides_of(first + lane); }, shared_.before);
            warp_.each([&](uint32_t lane) {
                if (first + lane < kept)
                    scratch_.job[first + lane] = static_cast<uint16_t>(jobs + shared_.before[lane]);
            });
            jobs += sides;
        }
        warp_.each([&](uint32_t lane) {
            if (lane != 0) return;
            shared_.jobs = jobs;
            shared_.candidate_begin = warp_.claim(arrays_.counters + 0, kept);
            shared_.job_begin = warp_.claim(arrays_.counters + 1, jobs);
        });
    }

    constexpr void write() const {
        const uint32_t kept = shared_.kept;
        const uint64_t candidate_begin = shared_.candidate_begin;
        const uint64_t job_begin = shared_.job_begin;
        const bool room =
            candidate_begin + kept <= arrays_.candidate_room && job_begin + shared_.jobs <= arrays_.job_room;
        warp_.each([&](uint32_t lane) {
            if (lane == 0) {
                arrays_.outcomes[read_] = {};
                if (room)
                    arrays_.outcomes[read_] = {1,
                                               static_cast<uint8_t>(kept),
                                               static_cast<uint8_t>(shared_.jobs),
                                               0,
                                               static_cast<uint32_t>(candidate_begin),
                                               static_cast<uint32_t>(job_begin),
                                               shared_.left_out};
            }
            for (uint32_t place = lane; room && place < kept; place += k_warp_lanes) {
                Candidate own = ordered(place);
                const GenomeInterval contig = contig_interval(arrays_.genome, own.contig);
                uint32_t job = scratch_.job[place];
                for (const bool left : {true, false}) {
                    if (!(left ? own.left_gapped : own.right_gapped)) continue;
                    (left ? own.left_job : own.right_job) = job;
                    arrays_.jobs[job_begin + job++] =
                        extension_job(contig, arrays_.parameters.scoring, arrays_.parameters.band, read_,
                                      length(), own, left);
                }
                arrays_.candidates[candidate_begin + place] = own;
            }
        });
    }

    const Warp& warp_;
    const CandidateArrays& arrays_;
    WarpShared& shared_;
    WarpScratch& scratch_;
    uint32_t read_;
};

}  // namespace gannet::kernels::candidates
