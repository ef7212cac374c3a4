// SPDX-License-Identifier: MIT
// Provides the haplotypes of an active region, from its candidates and by assembly, with the jobs of the
// pair-HMM.
#pragma once

#include "kernels/pair_hmm/pair_hmm.hpp"
#include "variants/alleles/assembly.hpp"
#include "variants/alleles/haplotypes.hpp"
#include "variants/alleles/likelihoods.hpp"
#include "variants/alleles/window_alleles.hpp"
#include "variants/sample/gap_quality.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gannet::variants {

/// A region whose reads are compared with its haplotypes. Bases of alleles are in the window's evidence.
struct RegionAlleles {
    int64_t begin = 0, end = 0;
    RegionHaplotypes haplotypes;
    std::vector<LikelihoodRow> rows;
    uint64_t first_pair = 0;  ///< of the batch: rows x haplotypes of them
};

/// How far outside a region its alleles may be found.
int64_t allele_reach_bp(const ActiveRegion& region);

/// Scratch is kept from region to region.
class RegionBuilder {
  public:
    /// Makes haplotypes of the candidates of `region` (of `candidates`: its own are [region.first,
    /// region.last)) and appends the pair-HMM jobs of its reads. Of more than `maximum_depth` reads, those
    /// with the smallest hash of their names are compared, mates together. Bases of new alleles are appended
    /// to the evidence of the window. Empty without reads, or with the reference as the only haplotype: no
    /// jobs then.
    std::optional<RegionAlleles> build(WindowAlleles& window, ActiveRegion region,
                                       std::span<const Candidate> candidates, const GapQualityTable& gaps,
                                       int32_t maximum_depth, kernels::PairHmmBatch& jobs);

  private:
    void choose_reads(const ReadSet& reads, int64_t begin, int64_t end, size_t maximum);
    void assemble(WindowAlleles& window, size_t maximum_depth, ActiveRegion& region);

    std::vector<uint32_t> reads_;  // indices of the region's reads
    Assembler assembler_;
    HaplotypeAligner aligner_;
    std::vector<data::Base> assembled_bases_;
    std::vector<uint32_t> assembled_offsets_;
    std::vector<Allele> assembled_;          // alleles of one assembled haplotype after another
    std::vector<uint32_t> assembled_sizes_;  // how many each has
    HaplotypeBuilder haplotypes_;
    JobScratch jobs_;
};

}  // namespace gannet::variants
