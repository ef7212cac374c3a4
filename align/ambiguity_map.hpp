// SPDX-License-Identifier: MIT
// Provides a coarse bitmap of where the reference is not plain ACGT, padding between contigs included.
#pragma once

#include "data/reference.hpp"

#include <cstdint>
#include <vector>

namespace gannet::align {

class AmbiguityMap {
  public:
    explicit AmbiguityMap(const data::Reference& reference)
        : bits_((reference.genome_size() >> (k_block_bits + 6)) + 1, 0),
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
        if (begin < 0 || end > end_ || end - begin > 2 << k_block_bits) return false;
        const auto first = static_cast<uint64_t>(begin) >> k_block_bits;
        const auto last = static_cast<uint64_t>(end - 1) >> k_block_bits;
        bool marked = false;
        for (uint64_t block = first; block <= last; ++block) marked |= bits_[block >> 6] >> (block & 63) & 1;
        return !marked;
    }

  private:
    static constexpr unsigned k_block_bits = 8;

    void mark(uint64_t begin, uint64_t end) {
        if (begin >= end) return;
        for (uint64_t block = begin >> k_block_bits; block <= (end - 1) >> k_block_bits; ++block) {
            bits_[block >> 6] |= uint64_t{1} << (block & 63);
        }
    }

    std::vector<uint64_t> bits_;
    int64_t end_;
};

}  // namespace gannet::align
