// SPDX-License-Identifier: MIT
// Provides a coarse bitmap of where the reference is not plain ACGT, padding between contigs included.
#pragma once

#include "data/reference.hpp"
#include "kernels/genome/genome_view.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::align {

/// Two bitmaps of the genome, of 256-base blocks and of 64 kb blocks. The second one (6 kB for 3.1 Gb) stays
/// in the first-level cache and answers nearly all questions; the first one does not, and a cache miss on it
/// per diagonal was a twentieth of the time of aligning to 1 Gb.
class AmbiguityMap {
  public:
    explicit AmbiguityMap(const data::Reference& reference)
        : fine_((reference.genome_size() >> (k_fine_bits + 6)) + 1, 0),
          coarse_((reference.genome_size() >> (k_coarse_bits + 6)) + 1, 0) {
        for (const data::NonAcgtRun& run : reference.runs()) mark(run.begin, run.end);
        // Padding between contigs is never plain, whatever the runs say.
        uint64_t before = 0;
        for (const data::Contig& contig : reference.contigs()) {
            mark(before, contig.offset);
            before = contig.offset + contig.length;
        }
        mark(before, reference.genome_size());
    }

    /// As GenomeView::ambiguous_fine and ambiguous_coarse have them.
    std::span<const uint64_t> fine() const { return fine_; }
    std::span<const uint64_t> coarse() const { return coarse_; }

  private:
    static constexpr unsigned k_fine_bits = kernels::k_fine_block_bits;
    static constexpr unsigned k_coarse_bits = kernels::k_coarse_block_bits;

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
};

}  // namespace gannet::align
