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

/// Plain arrays, on the host or on a device. Reads need not lie one behind the other in `hits` and `parts`.
struct SeedHitsView {
    uint32_t reads = 0;
    const uint64_t* hit_begin = nullptr;  ///< reads: the hits of read r are [hit_begin[r], hit_end[r])
    const uint64_t* hit_end = nullptr;    ///< reads
    const uint64_t* hits = nullptr;       ///< hit_key(); not sorted within a read: who needs it sorts them
    const uint32_t* complete_seeds = nullptr;  ///< reads: disjoint seeds all of whose entries became hits
    const uint8_t* narrowed = nullptr;         ///< reads: 1 where seeds left some of their entries out
    const uint32_t* part_begin = nullptr;      ///< reads: as hit_begin, into `parts`
    const uint32_t* part_end = nullptr;        ///< reads
    const DistinctPart* parts = nullptr;       ///< of each read ordered by end, then by begin
};

/// The same, owned by the host; resized by the op. Offsets have reads + 1 elements: the hits of read r are
/// [hit_offset[r], hit_offset[r + 1]).
struct SeedHits {
    std::vector<uint64_t> hit_offset;
    std::vector<uint64_t> hits;
    std::vector<uint32_t> complete_seeds;
    std::vector<uint8_t> narrowed;
    std::vector<uint32_t> part_offset;
    std::vector<DistinctPart> parts;

    /// Of no reads; keeps the memory.
    void clear() {
        hit_offset.assign(1, 0);
        hits.clear();
        complete_seeds.clear();
        narrowed.clear();
        part_offset.assign(1, 0);
        parts.clear();
    }
    SeedHitsView view() const {
        return {static_cast<uint32_t>(complete_seeds.size()),
                hit_offset.data(),
                hit_offset.data() + 1,
                hits.data(),
                complete_seeds.data(),
                narrowed.data(),
                part_offset.data(),
                part_offset.data() + 1,
                parts.data()};
    }
};

}  // namespace gannet::kernels
