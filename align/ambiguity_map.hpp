// SPDX-License-Identifier: MIT
// Provides a coarse bitmap of where the reference is not plain ACGT, padding between contigs included.
#pragma once

#include "data/reference.hpp"

#include <cstdint>
#include <vector>

namespace gannet::align {

/// Two bitmaps of the genome, of 256-base blocks and of 64 kb blocks. The second one (6 kB for 3.1 Gb) stays
/// in the first-level cache and answers nearly all questions; the first one does not, and a cache miss on it
/// per diagonal was a twentieth of the time of aligning to 1 Gb.
class AmbiguityMap {
  public:
    explicit AmbiguityMap(const data::Reference& reference)
        : fine_((reference.genome_size() >> (k_fine_bits + 6)) + 1, 0),
          coarse_((reference.genome_size() >> (k_coarse_bits + 6)) + 1, 0),
          end_(static_cast<int64_t>(reference.genome_size())) {
        for (const data::NonAcgtRun& run : reference.runs()) mark(run.begin, run.end);
        // Padding between contigs is never plain, whatever the runs say.
        uint64_t before = 0;
        for (const data::Contig& contig : reference.contigs()) {
            mark(before, contig.offset);
            before = contig.offset + contig.length;
        }
        mark(before, reference.genome_size());
    }

    /// True when [begin, end) is within one contig and holds A, C, G and T only; false when that is
    /// uncertain, as it always is for more than 512 bases.
    bool plain(int64_t begin, int64_t end) const {
        if (begin < 0 || end > end_ || end - begin > 2 << k_fine_bits) return false;
        const auto first = static_cast<uint64_t>(begin);
        const auto last = static_cast<uint64_t>(end - 1);
        return !any(coarse_, first >> k_coarse_bits, last >> k_coarse_bits) ||
               !any(fine_, first >> k_fine_bits, last >> k_fine_bits);
    }

  private:
    static constexpr unsigned k_fine_bits = 8;
    static constexpr unsigned k_coarse_bits = 16;

    static bool any(const std::vector<uint64_t>& bits, uint64_t first, uint64_t last) {
        bool marked = false;
        for (uint64_t block = first; block <= last; ++block) marked |= bits[block >> 6] >> (block & 63) & 1;
        return marked;
    }
    static void mark(std::vector<uint64_t>& bits, uint64_t first, uint64_t last) {
        for (uint64_t block = first; block <= last; ++block) bits[block >> 6] |= uint64_t{1} << (block & 63);
    }
    void mark(uint64_t begin, uint64_t end) {
        if (begin >= end) return;
        mark(fine_, begin >> k_fine_bits, (end - 1) >> k_fine_bits);
        mark(coarse_, begin >> k_coarse_bits, (end - 1) >> k_coarse_bits);
    }

    std::vector<uint64_t> fine_;
    std::vector<uint64_t> coarse_;
    int64_t end_;
};

}  // namespace gannet::align
