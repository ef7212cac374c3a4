// SPDX-License-Identifier: MIT
// Provides the genotypes of given alleles that are not among the called variants.
#pragma once

#include "variants/alleles/given_alleles.hpp"
#include "variants/batch_context.hpp"
#include "variants/region_caller.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gannet::variants {

/// Genotypes the given alleles of a batch of windows beside the discovered variants, which stay as they are:
/// SNVs from the pile-up, indels by the pair-HMM in a region of their own together with the candidates
/// there. Other alleles of the position count as the reference. An allele without usable reads gets no record
/// (MissingAlleles adds it).
class GivenCaller {
  public:
    GivenCaller(const BatchContext& context, const GivenAlleles& given) : context_(context), given_(given) {}
    /// After RegionCaller::begin_window of the same window, of which there are reads.
    void begin_window(RegionCaller& regions, uint32_t window);
    /// Adds to `out`, whose variants from `first` on are those of the batch, the records of given alleles
    /// that are not among them; sorts.
    void finish(std::vector<data::Variant>& out, size_t first);

  private:
    void add_snvs(const WindowState& window, GivenSite& site);
    void add_indels(RegionCaller& regions, GivenSite& site);
    bool add_region(RegionCaller& regions, GivenSite& site, bool with_candidates);
    bool load_evidence(GivenSite& site);
    void collapse(const GivenSite& site);
    void write(const GivenSite& site, std::vector<data::Variant>& out);

    const BatchContext& context_;
    const GivenAlleles& given_;
    std::vector<size_t> kept_;     // of a site's alleles, those without a record
    std::vector<Allele> lacking_;  // these
    SiteEvidence evidence_;        // of these against all others
};

}  // namespace gannet::variants
