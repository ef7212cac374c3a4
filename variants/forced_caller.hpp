// SPDX-License-Identifier: MIT
// Provides the genotypes of forced alleles (--alleles) that are not among the called variants.
#pragma once

#include "data/regions.hpp"
#include "data/variant.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "variants/alleles/forced_alleles.hpp"
#include "variants/alleles/region_alleles.hpp"
#include "variants/alleles/window_alleles.hpp"
#include "variants/call_context.hpp"
#include "variants/genotype/genotype.hpp"
#include "variants/genotype/region_call.hpp"
#include "variants/genotype/region_genotype.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gannet::variants {

/// Forced alleles of one record.
struct ForcedSite {
    size_t ploidy = 0;
    std::span<const Allele> alleles;           ///< of the ForcedAlleles
    std::vector<size_t> place;                 ///< of each of them: its number in the evidence
    std::vector<int32_t> stutter_per_million;  ///< of each indel of a region, as SiteStatistics has them
    PlaceCopies copies;                        ///< ExtraCopyFilter
    SiteEvidence evidence;                     ///< of SNVs; of indels it follows from the region
    std::optional<RegionCall> region;
};

/// Genotypes the forced alleles of a window beside the discovered variants, which stay as they are: SNVs from
/// the pile-up, indels by the pair-HMM in a region of their own together with the candidates there. Other
/// alleles of the position count as the reference. An allele without usable reads gets no record
/// (MissingAlleles adds it).
class ForcedCaller {
  public:
    /// Appends the jobs of the window's forced indels, and the bases of their alleles to `arena`.
    std::vector<ForcedSite> begin(const CallContext& context, const ForcedAlleles& forced,
                                  WindowAlleles& window, RegionBuilder& regions, kernels::PairHmmBatch& jobs,
                                  std::vector<data::Base>& arena);
    /// Adds to `out`, whose records from `first` on are those of the window, the records of forced alleles
    /// that are not among them; sorts. `likelihoods`: of the batch; `arena`: as begin() got it.
    void finish(const CallContext& context, const ForcedAlleles& forced, const data::Region& window,
                std::span<const int32_t> likelihoods, const std::vector<data::Base>& arena,
                std::span<ForcedSite> sites, size_t first, std::vector<data::Variant>& out);

  private:
    bool load_evidence(const CallContext& context, const ForcedAlleles& forced,
                       std::span<const int32_t> likelihoods, const std::vector<data::Base>& arena,
                       ForcedSite& site);

    RegionGenotyper genotyper_;
};

}  // namespace gannet::variants
