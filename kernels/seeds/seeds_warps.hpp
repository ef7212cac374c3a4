// SPDX-License-Identifier: MIT
// Provides what goes between the host's side of the device form of seeding and its schedule: plain arrays.
#pragma once

#include "kernels/seeds/seeds.hpp"
#include "kernels/warp.hpp"

#include <cstdint>

namespace gannet::kernels::seeds {

/// Room that warps take pieces of, in any order: what is in a read's piece does not depend on where it lies.
struct Pools {
    uint64_t* hits = nullptr;
    DistinctPart* parts = nullptr;
    uint64_t hit_capacity = 0;
    uint32_t part_capacity = 0;
    unsigned long long* hits_taken = nullptr;  ///< also beyond the capacity
    unsigned long long* parts_taken = nullptr;
};

/// Per read. Of one whose hits or parts had no room, or that is too long, hit_begin and hit_end are
/// k_no_hits_there and the rest means nothing: the host seeds it.
struct ReadResults {
    uint64_t* hit_begin = nullptr;  ///< into Pools::hits
    uint64_t* hit_end = nullptr;
    uint32_t* complete_seeds = nullptr;  ///< as SeedNotes has them
    uint32_t* part_begin = nullptr;      ///< into Pools::parts
    uint32_t* part_end = nullptr;
    uint8_t* narrowed = nullptr;
};

/// What all warps of a batch share.
struct Job {
    SeedIndexView index;
    GenomeView genome;
    ReadBatchView reads;
    Pools pools;
    ReadResults results;
    uint32_t seed_capacity = 0;        ///< of a warp's SeedArrays: the most k-mers of a read, at least 1
    uint32_t longest_bp = UINT32_MAX;  ///< longer reads are left to the host
};

/// The seeds of the read that a warp is at: structure of arrays in memory of the warp's own, shared memory
/// where it fits (seeds_tuning.hpp). 40 bytes a seed.
struct SeedArrays {
    uint64_t* hash = nullptr;       ///< in the end the distinct parts: end << 16 | begin
    uint32_t* place = nullptr;      ///< position << 3 | k_first_seed | k_long_seed | k_reverse_seed
    uint32_t* run_begin = nullptr;  ///< entries that are used; of a long seed at first SeedBucket::begin
    uint32_t* run_count = nullptr;
    uint32_t* wide_begin = nullptr;  ///< of a widened seed, else wide_count is 0
    uint32_t* wide_count = nullptr;
    uint32_t* left_out = nullptr;       ///< as int32_t: k_none_left_out, k_all_left_out or bases
    uint32_t* hits_before = nullptr;    ///< capacity + 1
    uint32_t* beside_before = nullptr;  ///< capacity + 1

    static constexpr uint64_t bytes(uint32_t capacity) {
        return (uint64_t{capacity} * 40 + 2 * sizeof(uint32_t) + 15) / 16 * 16;
    }
    /// `memory`: bytes(capacity), aligned to 8; `words`: behind `capacity` elements of it.
    static constexpr SeedArrays in(uint64_t* memory, uint32_t* words, uint32_t capacity) {
        SeedArrays arrays;
        arrays.hash = memory;
        arrays.place = words;
        arrays.run_begin = words + capacity;
        arrays.run_count = words + 2 * capacity;
        arrays.wide_begin = words + 3 * capacity;
        arrays.wide_count = words + 4 * capacity;
        arrays.left_out = words + 5 * capacity;
        arrays.hits_before = words + 6 * capacity;
        arrays.beside_before = words + 7 * capacity + 1;
        return arrays;
    }
};

inline constexpr uint32_t k_reverse_seed = 1;
inline constexpr uint32_t k_long_seed = 2;
inline constexpr uint32_t k_first_seed = 4;  ///< one of the disjoint ones of all seeds

/// In shared memory: 872 bytes a warp.
struct WarpScratch {
    uint32_t smers[48];             ///< values of the s-mers of 32 k-mers: of at most 16 each
    uint32_t before[k_warp_lanes];  ///< a sum over the lanes before each
    uint64_t context[k_context_bases / 32];
    int16_t shared_bp[2 * (k_narrowed_beside_alternates + 1)];  ///< -1: no entry
};

}  // namespace gannet::kernels::seeds
