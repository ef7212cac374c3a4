// SPDX-License-Identifier: MIT
// Provides the primers of an amplicon library: how far the bases of a read are those of a primer, which are
// synthetic and say nothing of the sample.
#pragma once

#include "data/regions.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

struct Primer {
    data::Region region;
    /// +: it begins amplicons, whose left end it is; -: it ends them; anything else: not known, both.
    char strand = '.';
};

/// Where primers lie on the reference. A read that begins or ends in a primer of its end (its first or last
/// base is in it, or at most five bases outside, as `samtools ampliconclip --both-ends` has it) has the
/// primer's bases up to the primer's inner end. Immutable, and so thread-safe.
class Primers {
  public:
    Primers() = default;
    explicit Primers(std::span<const Primer> primers);

    bool empty() const { return contigs_.empty(); }
    /// An aligned part of the reference, and the bases clipped beyond it on both sides.
    struct Span {
        int64_t begin = 0;
        int64_t end = 0;
        int64_t clipped_left = 0;
        int64_t clipped_right = 0;
    };
    struct Borders {
        int64_t begin = 0;
        int64_t end = 0;
    };
    /// The part of the read, with its clipped bases, that is of the sample; empty (end <= begin) where all of
    /// it is of primers. Where a read is clipped at an end, its first base and its first aligned one are
    /// looked at: either the primer itself, or what is before it, may have been clipped. Cost: a binary
    /// search for each end.
    Borders inside(uint32_t contig, const Span& read) const;

  private:
    struct Ends {
        std::vector<Borders> left;   // of amplicons, by begin
        std::vector<Borders> right;  // by end
        int64_t longest = 0;
    };
    std::vector<Ends> contigs_;
};

}  // namespace gannet::variants
