// SPDX-License-Identifier: MIT
// Provides what seeding gives of a batch of reads: hits, and what is known of the places that it left out.
#pragma once

#include <cstdint>
#include <vector>

namespace gannet::kernels {

/// Diagonals of a read that are compared with the reference. Heuristic.
inline constexpr uint32_t k_max_diagonals = 96;

/// A read of at most 4096 bases may begin before the genome: diagonals are stored with this added.
inline constexpr int64_t k_diagonal_bias = 8192;

/// A hit as a sortable key: strand of the read in bit 63, diagonal (the genome coordinate of the oriented
/// base 0) plus k_diagonal_bias in bits 16 to 62, position of the seed in the oriented read in bits 0 to 15.
constexpr uint64_t hit_key(bool reverse, int64_t diagonal, uint32_t position) {
    return uint64_t{reverse} << 63 | static_cast<uint64_t>(diagonal + k_diagonal_bias) << 16 | position;
}
constexpr uint8_t strand_of_hit(uint64_t key) { return static_cast<uint8_t>(key >> 63); }
constexpr int64_t diagonal_of_hit(uint64_t key) {
    return static_cast<int64_t>(key >> 16 & ((uint64_t{1} << 47) - 1)) - k_diagonal_bias;
}
constexpr uint32_t position_of_hit(uint64_t key) { return static_cast<uint32_t>(key & 0xffff); }

/// A part of a read (bases as sequenced) in which every placement of the read that its seeds left out differs
/// from it.
struct DistinctPart {
    uint16_t begin = 0;
    uint16_t end = 0;
};

/// hit_begin and hit_end of a read whose hits are not there: a device had no room for them, or left them to
/// the host.
inline constexpr uint64_t k_no_hits_there = ~uint64_t{0};

/// The hits of a batch: plain arrays, on the host or on a device. Reads need not lie one behind the other.
struct SeedHitsView {
    uint32_t reads = 0;
    const uint64_t* hit_begin = nullptr;  ///< reads: the hits of read r are [hit_begin[r], hit_end[r])
    const uint64_t* hit_end = nullptr;    ///< reads
    const uint64_t* hits = nullptr;       ///< hit_key(); not sorted within a read: who needs it sorts them
};

/// What seeding tells of the reads of a batch beside their hits, owned by the host.
struct SeedNotes {
    std::vector<uint32_t> complete_seeds;  ///< reads: disjoint seeds all of whose entries became hits
    std::vector<uint8_t> narrowed;         ///< reads: 1 where seeds left some of their entries out
    std::vector<uint32_t> part_offset;     ///< reads + 1: of read r are [part_offset[r], part_offset[r + 1])
    std::vector<DistinctPart> parts;       ///< of each read ordered by end, then by begin

    /// Of no reads; keeps the memory.
    void clear() {
        complete_seeds.clear();
        narrowed.clear();
        part_offset.assign(1, 0);
        parts.clear();
    }
};

/// The same with the hits.
struct SeedHits : SeedNotes {
    std::vector<uint64_t>
        hit_offset;  ///< reads + 1: the hits of read r are [hit_offset[r], hit_offset[r + 1])
    std::vector<uint64_t> hits;

    void clear() {
        SeedNotes::clear();
        hit_offset.assign(1, 0);
        hits.clear();
    }
    SeedHitsView view() const {
        return {static_cast<uint32_t>(hit_offset.size() - 1), hit_offset.data(), hit_offset.data() + 1,
                hits.data()};
    }
};

}  // namespace gannet::kernels
