// SPDX-License-Identifier: MIT
// Provides the sampling of k-mers: canonical closed syncmers, the same for the index and for reads.
#pragma once

#include "kernels/seeds/seeds_cell.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::kernels {

/// Memory that find_syncmers reuses from call to call.
struct SyncmerScratch {
    std::vector<uint8_t> two;  ///< k-mers of two bases, and so on; of one strand, then of the other
    std::vector<uint8_t> four;
    std::vector<uint16_t> eight;  ///< of the strand that was read
    std::vector<uint16_t> reverse_eight;
    std::vector<uint32_t> smers;  ///< their hashes
    std::vector<uint32_t> minimum;
    std::vector<uint8_t> is_sampled;
    std::vector<uint32_t> positions;  ///< room for minima before
};

/// Positions of the closed syncmers of `codes`, ascending, as find_syncmers() has them; they lie in `scratch`
/// until it is used again.
std::span<const uint32_t> find_syncmer_positions(uint32_t k, uint32_t s, std::span<const uint8_t> codes,
                                                 bool has_n, SyncmerScratch& scratch);

/// The syncmer at `position` of what `packed` holds from base `first` on.
inline Syncmer syncmer_at(uint32_t k, const uint64_t* packed, uint64_t first, uint32_t position) {
    Syncmer found = hash_kmer(word_at(packed, first + position) & ((uint64_t{1} << 2 * k) - 1), k);
    found.position = position;
    return found;
}

/// Appends the closed syncmers of `codes` (0-3; 4 anywhere in a k-mer drops it): k-mers whose smallest s-mer
/// (by a hash of the canonical s-mer) is the first or the last of its k - s + 1. Whether a k-mer is sampled
/// depends on nothing but itself; of k - s k-mers in a row one at least is. Edgar 2021,
/// doi:10.7717/peerj.10805. `packed` holds the same bases from base `first` on. Ranges: s 8..16, k - s + 1
/// 8..16, k odd and at most 31. Cost: about 40 vectorised operations a base.
void find_syncmers(uint32_t k, uint32_t s, std::span<const uint8_t> codes, bool has_n, const uint64_t* packed,
                   uint64_t first, SyncmerScratch& scratch, std::vector<Syncmer>& out);

}  // namespace gannet::kernels
