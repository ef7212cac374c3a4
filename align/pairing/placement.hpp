// SPDX-License-Identifier: MIT
// Provides placements of reads by entries of the index, and the order of entries by their contexts.
#pragma once

#include "align/omitted.hpp"
#include "kernels/genome/packed_words.hpp"

#include <cstdint>

namespace gannet::align {

/// Strand and diagonal of a read as one number: ordered by both.
inline uint64_t placement_key(uint8_t strand, int64_t diagonal) {
    return uint64_t{strand} << 63 | static_cast<uint64_t>(diagonal + kernels::k_diagonal_bias);
}

inline Candidate candidate_at(uint64_t placement) {
    Candidate out;
    out.strand = static_cast<uint8_t>(placement >> 63);
    out.diagonal = static_cast<int64_t>(placement & ~(uint64_t{1} << 63)) - kernels::k_diagonal_bias;
    return out;
}

/// Where an entry of the seed's k-mer places the read.
inline uint64_t placement_of(const ReadState& read, const Syncmer& seed, uint32_t k, IndexEntry entry) {
    const bool reverse = entry.reverse() != (seed.reverse != 0);
    const uint32_t position = reverse ? read.length - k - seed.position : seed.position;
    return placement_key(reverse, static_cast<int64_t>(entry.position()) - position);
}

/// The bases of a read behind a seed in its canonical direction, by which the entries of the seed's k-mer are
/// ordered. Holds references only; cheap to make.
class SeedContext {
  public:
    /// `length`: bases that are compared; at most those that the read has there, and k_context_bases.
    SeedContext(const OmittedPositions& omitted, uint32_t read, const Syncmer& seed, uint32_t length)
        : packed_(omitted.index().reference()->packed()),
          own_(omitted.ungapped().words(read, static_cast<uint8_t>(seed.reverse))),
          k_(omitted.index().parameters().kmer),
          length_(length) {
        begin_ =
            (seed.reverse ? omitted.state().reads[read].length - k_ - seed.position : seed.position) + k_;
    }

    /// -1, 0 or 1: the entry's bases come before those of the read, are the same, come after them.
    int order(IndexEntry entry) const {
        for (uint32_t base = 0; base < length_; base += 32) {
            const unsigned spare = length_ - base < 32 ? 64 - 2 * (length_ - base) : 0;
            const uint64_t wanted = kernels::reverse_bases(kernels::word_at(own_, begin_ + base)) >> spare;
            const uint64_t found = context_word(packed_, entry, k_, base / 32) >> spare;
            if (found != wanted) return found < wanted ? -1 : 1;
        }
        return 0;
    }

  private:
    std::span<const uint64_t> packed_;
    const uint64_t* own_;
    uint32_t k_;
    uint32_t length_;
    uint32_t begin_;
};

}  // namespace gannet::align
