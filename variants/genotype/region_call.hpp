// SPDX-License-Identifier: MIT
// Provides an active region between the pair-HMM's jobs and its genotypes.
#pragma once

#include "data/sequence.hpp"
#include "variants/alleles/region_alleles.hpp"
#include "variants/genotype/allele_prior.hpp"
#include "variants/genotype/region_genotype.hpp"
#include "variants/sample/sample_model.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// A region that waits for its likelihoods, independent of the reads of its window. Bases of alleles are in
/// the arena that region_call_of() got.
struct RegionCall {
    std::vector<Allele> alleles;
    std::vector<AllelePrior> priors;           ///< of each allele
    std::vector<int32_t> stutter_per_million;  ///< of each, as SiteStatistics has them
    std::vector<int64_t> allele_ends;          ///< of each, as RegionCase has them
    std::vector<AlleleSet> haplotypes;         ///< the first one is the reference
    std::vector<LikelihoodRow> rows;
    std::vector<int64_t> positions;  ///< of the records that its alleles may have, ascending
    std::vector<ReadPlace> places;   ///< rows x positions
    uint64_t first_pair = 0;         ///< of the batch: rows x haplotypes of them
    int64_t haplotype_bp = 0;        ///< of the reference haplotype that the pair-HMM got
    int64_t begin = 0, end = 0;
    PlaceCopies place;  ///< of its beginning (ExtraCopyFilter)
};

/// `jobs`: those that the region was added to. Appends the bases of its alleles to `arena`.
RegionCall region_call_of(const WindowAlleles& window, RegionAlleles&& region,
                          const kernels::PairHmmBatch& jobs, const GapQualityTable& gaps,
                          std::vector<data::Base>& arena);

/// The region with its part of the likelihoods of the batch.
RegionCase region_case_of(const RegionCall& region, std::span<const int32_t> likelihoods,
                          const Contamination& contamination);

}  // namespace gannet::variants
