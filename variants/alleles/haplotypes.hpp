// SPDX-License-Identifier: MIT
// Provides the haplotypes of an active region: combinations of candidate alleles that reads carry together.
#pragma once

#include "variants/alleles/active_regions.hpp"
#include "variants/alleles/linked_haplotypes.hpp"
#include "variants/model/alleles.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

inline constexpr size_t k_max_alleles = alleles_number("haplotypes_max_alleles");
inline constexpr size_t k_max_haplotypes = alleles_number("haplotypes_max");

/// The alleles of a region, sorted and distinct, and its haplotypes; the first haplotype is the reference.
struct RegionHaplotypes {
    std::vector<Allele> alleles;
    std::vector<AlleleSet> haplotypes;
    int32_t longest_change = 0;  ///< of length, by any haplotype
    void clear();
};

/// Reads of the region: indices into the ReadSet.
struct HaplotypeInput {
    const ReadSet& reads;
    const ReferenceSlice& slice;
    Evidence& evidence;                     ///< its arena gets the bases of new alleles
    std::span<const Candidate> candidates;  ///< of the window
    std::span<const uint32_t> region_reads;
    std::span<const Allele> assembled;          ///< alleles of assembled haplotypes, see `assembled_sizes`
    std::span<const uint32_t> assembled_sizes;  ///< how many of `assembled` each assembled haplotype has
};

/// Realigned alleles of a region may be this far outside it.
inline constexpr int64_t k_realign_flank_bp = alleles_number("haplotypes_realign_flank_bp");

class HaplotypeBuilder {
  public:
    /// Extends `region` where a realigned allele is outside it.
    void build(const HaplotypeInput& input, ActiveRegion& region, RegionHaplotypes& out);

  private:
    struct Combination {
        AlleleSet alleles = 0;
        uint32_t count = 0;
    };
    void collect_alleles(const HaplotypeInput& input, const ActiveRegion& region, RegionHaplotypes& out);
    void read_alleles(const HaplotypeInput& input, const RegionHaplotypes& out);
    void leave_out_mimics(const HaplotypeInput& input, const RegionHaplotypes& out);
    void count_combinations(const HaplotypeInput& input, const ActiveRegion& region);
    bool explains_more(AlleleSet haplotype, std::span<const AlleleSet> others) const;
    void choose(const RegionHaplotypes& alleles, std::vector<AlleleSet>& chosen);
    void join_distant(const RegionHaplotypes& alleles, std::vector<AlleleSet>& chosen) const;
    void realign(const HaplotypeInput& input, ActiveRegion& region, RegionHaplotypes& out);
    bool fits(AlleleSet set) const;

    std::vector<Candidate> sources_;         // the candidate of each allele
    std::vector<AlleleSet> conflicts_;       // of each allele: alleles that cannot be on the same haplotype
    std::vector<ReadAlleles> read_alleles_;  // of each read of the region
    std::vector<size_t> reads_;              // of the region, that show an insertion as an SNV
    std::vector<Combination> combinations_;  // of reads that span the region
    std::vector<Combination> partial_;       // of all reads; both by count, then alleles
    std::vector<AlleleSet> assembled_;
    /// Of a tandem repeat: reads that end in it show SNVs in its place, and link what is on no haplotype.
    bool has_repeat_indel_ = false;
    LinkedHaplotypes linked_;
    uint32_t spanning_ = 0;
    HaplotypeAligner aligner_;
    std::vector<data::Base> bases_;
    std::vector<Allele> lists_;  // the alleles of each haplotype, one list after another
    std::vector<uint32_t> list_ends_;
};

/// Writes the bases of a haplotype over slice bases [begin, end) to `out` (replaced).
void write_haplotype(const ReferenceSlice& slice, int64_t begin, int64_t end, std::span<const Allele> alleles,
                     AlleleSet carried, const std::vector<data::Base>& arena, std::vector<data::Base>& out);

}  // namespace gannet::variants
