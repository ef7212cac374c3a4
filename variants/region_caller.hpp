// SPDX-License-Identifier: MIT
// Provides the calls of single sites: of the pile-up, and of a region from its likelihoods.
#pragma once

#include "data/regions.hpp"
#include "variants/alleles/window_alleles.hpp"
#include "variants/call_context.hpp"
#include "variants/genotype/region_call.hpp"
#include "variants/genotype/region_genotype.hpp"
#include "variants/genotype/site_call.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gannet::variants {

/// An SNV site by its pile-up, with its finished record where it is called. `bases`: the reference, then the
/// alternates, which are appended to `arena`.
SiteCall call_pile_up_site(const CallContext& context, const WindowAlleles& window, int64_t position,
                           std::span<const data::Base> bases, std::vector<data::Base>& arena);

/// Scratch is kept from region to region.
class RegionCaller {
  public:
    /// The sites of a region that its window calls, with finished records where they are called; and with
    /// reference blocks those that reach into the window's blocks, whose records are not finished. By record
    /// position. `likelihoods`: of the batch; `arena`: of the region's alleles.
    std::vector<SiteCall> call(const CallContext& context, const data::Region& window,
                               const RegionCall& region, std::span<const int32_t> likelihoods,
                               const std::vector<data::Base>& arena);

  private:
    /// The region whose sites are being called.
    struct Input {
        const CallContext& context;
        const data::Region& window;
        const RegionCall& region;
        const std::vector<data::Base>& arena;
    };
    SiteCall call_site_of(const Input& input, const RegionSite& site, bool is_of_window);
    AlleleSet called_deletions(const Input& input, const RegionSite& site);
    AlleleSet called_alleles(const Input& input, size_t site);
    void call_beside_deletion(const Input& input, const RegionSite& site, SiteCall& call);

    RegionGenotyper genotyper_;
    std::vector<std::optional<AlleleSet>> called_of_site_;  // see called_alleles(); filled where asked for
};

}  // namespace gannet::variants
