// SPDX-License-Identifier: MIT
// Provides the seeds of the read that a warp is at, for the schedule of seeding: how they are found, and
// what the warp's lanes ask of them. Phases are those of seeds_schedule.hpp.
#pragma once

#include "kernels/seeds/seeds_cell.hpp"
#include "kernels/seeds/seeds_warps.hpp"

#include <cstdint>

namespace gannet::kernels::seeds {

/// Holds references only.
template <class Warp>
class WarpRead {
  public:
    constexpr WarpRead(const Warp& warp, const Job& job, const SeedArrays& seeds, WarpScratch& scratch,
                       uint32_t read)
        : warp_(warp),
          job_(job),
          seeds_(seeds),
          scratch_(scratch),
          read_(read),
          length_(job.reads.length[read]),
          k_(job.index.kmer) {}

  protected:
    constexpr uint32_t position(uint32_t seed) const { return seeds_.place[seed] >> 3; }
    constexpr bool is_reverse(uint32_t seed) const { return (seeds_.place[seed] & k_reverse_seed) != 0; }
    constexpr bool is_long(uint32_t seed) const { return (seeds_.place[seed] & k_long_seed) != 0; }
    constexpr bool is_first(uint32_t seed) const { return (seeds_.place[seed] & k_first_seed) != 0; }
    constexpr int32_t left_out(uint32_t seed) const { return static_cast<int32_t>(seeds_.left_out[seed]); }
    constexpr SeedEntry entry(uint64_t index) const { return job_.index.words[index]; }
    constexpr bool on_alternate(uint64_t index) const {
        return job_.genome.alternate_count != 0 &&
               job_.genome.is_alternate(static_cast<int64_t>(entry(index).position()));
    }

    /// Runs phase(seed) for all seeds.
    template <class Phase>
    constexpr void each_seed(const Phase& phase) const {
        warp_.each([&](uint32_t lane) {
            for (uint32_t seed = lane; seed < count_; seed += k_warp_lanes) phase(seed);
        });
    }
    template <class Condition>
    constexpr bool any_seed(const Condition& condition) const {
        return warp_.ballot([&](uint32_t lane) {
            bool any = false;
            for (uint32_t seed = lane; seed < count_; seed += k_warp_lanes) any |= condition(seed);
            return any;
        }) != 0;
    }
    /// Disjoint seeds, counted from the left, that satisfy a condition.
    template <class Condition>
    constexpr uint32_t disjoint(const Condition& condition) const {
        uint32_t found = 0;
        uint32_t end = 0;
        for (uint32_t first = 0; first < count_; first += k_warp_lanes) {
            uint32_t bits = warp_.ballot([&](uint32_t lane) {
                return first + lane < count_ && position(first + lane) >= end && condition(first + lane);
            });
            for (; bits != 0; bits &= bits - 1) {
                const uint32_t at = position(first + trailing_zeros(bits));
                if (at < end) continue;
                ++found;
                end = at + k_;
            }
        }
        return found;
    }

    constexpr uint32_t smer_at(const uint64_t* words, uint32_t at) const {
        const uint32_t s = job_.index.smer;
        const uint64_t mask = (uint64_t{1} << 2 * s) - 1;
        const uint64_t forward = word_at(words, at) & mask;
        const uint64_t reverse = reverse_bases(~forward) >> (64 - 2 * s);
        return hash_smer(static_cast<uint32_t>(forward < reverse ? forward : reverse));
    }

    /// Another read takes this one's place, and later its seeds'.
    constexpr void take_read(uint32_t read) {
        read_ = read;
        length_ = job_.reads.length[read];
    }

    constexpr void find_seeds() {
        count_ = 0;
        const uint32_t s = job_.index.smer;
        const uint32_t width = k_ - s + 1;
        const uint32_t kmers = length_ - k_ + 1;
        const uint64_t kmer_mask = (uint64_t{1} << 2 * k_) - 1;
        const uint64_t* const words = job_.reads.words(read_, 0);
        const bool is_ambiguous = job_.reads.is_ambiguous(read_);
        for (uint32_t first = 0; first < kmers; first += k_warp_lanes) {
            warp_.each([&](uint32_t lane) {
                for (uint32_t i = lane; i < k_warp_lanes + width - 1; i += k_warp_lanes) {
                    if (first + i + s <= length_) scratch_.smers[i] = smer_at(words, first + i);
                }
            });
            const uint32_t bits = warp_.ballot([&](uint32_t lane) {
                const uint32_t at = first + lane;
                if (at >= kmers) return false;
                if (is_ambiguous && (word_at(job_.reads.mask_words(read_, 0), at) & kmer_mask) != 0)
                    return false;
                uint32_t smallest = scratch_.smers[lane];
                for (uint32_t i = 1; i < width; ++i) {
                    const uint32_t value = scratch_.smers[lane + i];
                    smallest = value < smallest ? value : smallest;
                }
                return scratch_.smers[lane] == smallest || scratch_.smers[lane + width - 1] == smallest;
            });
            warp_.each([&](uint32_t lane) {
                if ((bits >> lane & 1) == 0) return;
                const uint32_t seed = count_ + bit_count(bits & ((uint32_t{1} << lane) - 1));
                const Syncmer found = hash_kmer(word_at(words, first + lane) & kmer_mask, k_);
                seeds_.hash[seed] = found.hash;
                seeds_.place[seed] = (first + lane) << 3 | (found.reverse != 0 ? k_reverse_seed : 0);
            });
            count_ += bit_count(bits);
        }
    }

    /// Marks the disjoint ones of all seeds.
    constexpr void mark_first() const {
        uint32_t end = 0;
        for (uint32_t first = 0; first < count_; first += k_warp_lanes) {
            const uint32_t seeds = count_ - first < k_warp_lanes ? count_ - first : k_warp_lanes;
            uint32_t chosen = 0;
            for (uint32_t i = 0; i < seeds; ++i) {
                if (position(first + i) < end) continue;
                chosen |= uint32_t{1} << i;
                end = position(first + i) + k_;
            }
            warp_.each([&](uint32_t lane) {
                if ((chosen >> lane & 1) != 0) seeds_.place[first + lane] |= k_first_seed;
            });
        }
    }

    const Warp& warp_;
    const Job& job_;
    const SeedArrays& seeds_;
    WarpScratch& scratch_;
    uint32_t read_;
    uint32_t length_;
    const uint32_t k_;
    uint32_t count_ = 0;
};

}  // namespace gannet::kernels::seeds
