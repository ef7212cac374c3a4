// SPDX-License-Identifier: MIT
// Provides the bases of a read that differ from the reference on one diagonal, as bits.
#pragma once

#include "kernels/candidates/candidates_cell.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gannet::kernels::candidates {

/// Which of the bases [begin, end) of an oriented read differ from the reference. A word has 32 bases, one in
/// every second bit, as mismatch_bits() of two packed words has them. Bases outside [begin, end) count as
/// differing, so that runs of matches end there. Memory is kept for the next use. It is the Bits of the host
/// (candidates_cell.hpp).
class Mismatches {
  public:
    /// Every base of a read of `length` is outside: bases have to be set. The words are those of word().
    void clear(uint32_t length) {
        words_.assign(length / 32 + 1, k_low_bits);
        ambiguous_.clear();
    }
    /// Sets 32 bases at once, of which those from `bases` on are outside.
    void set_word(uint32_t index, uint64_t bits, uint32_t bases) {
        words_[index] = bases < 32 ? bits | k_low_bits << 2 * bases : bits;
    }
    /// Marks bases as differing, and as ambiguous in the read or in the reference.
    void set_ambiguous_word(uint32_t index, uint64_t bits) {
        ambiguous_.resize(words_.size(), 0);
        ambiguous_[index] |= bits;
        words_[index] |= bits;
    }

    bool ambiguous(uint32_t base) const {
        return !ambiguous_.empty() && (ambiguous_[base / 32] >> 2 * (base % 32) & 1) != 0;
    }
    /// Where the run of matches that begins at `from` ends: `from` itself if it differs.
    uint32_t run_end(uint32_t from) const {
        uint32_t word = from / 32;
        uint64_t bits = words_[word] >> 2 * (from % 32) << 2 * (from % 32);
        while (bits == 0) bits = words_[++word];  // the spare bases differ
        return 32 * word + static_cast<uint32_t>(std::countr_zero(bits)) / 2;
    }
    /// Where the run of matches that ends before `to` begins, at least 0: `to` itself if the base before
    /// differs.
    uint32_t run_begin(uint32_t to) const {
        for (uint32_t word = to / 32 + 1; word-- > 0;) {
            uint64_t bits = words_[word];
            if (word == to / 32) bits &= (uint64_t{1} << 2 * (to % 32)) - 1;
            if (bits != 0) return 32 * word + 32 - static_cast<uint32_t>(std::countl_zero(bits)) / 2;
        }
        return 0;
    }
    /// Bases before `to` that match.
    uint32_t matches_before(uint32_t to) const {
        uint32_t mismatches = 0;
        for (uint32_t word = 0; word < to / 32; ++word)
            mismatches += static_cast<uint32_t>(std::popcount(words_[word]));
        const uint64_t last = words_[to / 32] & ((uint64_t{1} << 2 * (to % 32)) - 1);
        return to - mismatches - static_cast<uint32_t>(std::popcount(last));
    }
    /// The longest run of matches within [begin, end), of equals the first; empty, at `begin`, if none.
    BaseRange longest_run(uint32_t begin, uint32_t end);

  private:
    void find_long_runs();

    std::vector<uint64_t> words_;
    std::vector<uint64_t> ambiguous_;  ///< empty, or as long as words_
    std::vector<uint64_t> long_runs_;  ///< bases at which k_long_run matches begin
};

}  // namespace gannet::kernels::candidates
