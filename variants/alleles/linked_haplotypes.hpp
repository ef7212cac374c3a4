// SPDX-License-Identifier: MIT
// Provides haplotypes that no single read need show whole: alleles linked by one read after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// Bit i: allele i of the region, in the order of positions.
using AlleleSet = uint64_t;

/// What a read says of the alleles of a region.
struct ReadAlleles {
    AlleleSet carried = 0;
    AlleleSet known = 0;  ///< those that it has or has not; the others are beyond its ends, or poor bases
};

/// Goes along the alleles of a region and keeps the haplotypes up to there that reads allow. One goes on with
/// an allele, and without it, as the reads say that agree with it so far: those that know an allele before
/// too, if there are any. A read that agrees with several haplotypes counts for each in part. So a haplotype
/// is found where reads overlap, though none of them spans the region. Read-backed phasing builds haplotypes
/// in this way (Patterson et al. 2015 give its optimum for two; here there may be more, and errors).
class LinkedHaplotypes {
  public:
    /// `conflicts`: of each allele those that exclude it. The best supported first; at most `maximum`.
    std::span<const AlleleSet> find(std::span<const ReadAlleles> reads, std::span<const AlleleSet> conflicts,
                                    size_t maximum);

  private:
    struct Haplotype {
        AlleleSet alleles = 0;
        uint32_t support = 0;  ///< parts of reads, of the weakest link
    };
    struct Votes {
        uint32_t linked = 0, all = 0;  ///< parts of reads
    };
    void extend(std::span<const ReadAlleles> reads, std::span<const AlleleSet> conflicts, size_t allele);

    std::vector<Haplotype> haplotypes_, next_;
    std::vector<Votes> votes_[2];  // of each haplotype: without the allele, and with it
    std::vector<uint32_t> agreeing_;
    std::vector<AlleleSet> found_;
};

}  // namespace gannet::variants
