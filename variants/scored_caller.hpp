// SPDX-License-Identifier: MIT
// Provides calling with the network: examples of candidate alleles, and genotypes from its corrections.
#pragma once

#include "variants/batch_context.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace gannet::variants {

class ScoredCaller {
  public:
    explicit ScoredCaller(const BatchContext& context) : context_(context) {}

    /// Adds a site of the pile-up, whose evidence is in `state().site`: its candidates, and their examples
    /// unless the site is settled. `region_filters`: see filters_of().
    void add_pile_up_candidates(uint32_t window, std::span<const Allele> alleles, uint32_t region_filters);
    /// The same for all sites of a region, from the likelihoods of its jobs.
    void add_region_candidates(const RegionTask& task);
    /// Genotypes a site from the caller's posterior and the network's corrections, and adds what is called to
    /// the calls of the batch; of a site that is not of its window, to the window's blocks alone.
    void genotype(const ScoredSite& site);

  private:
    void add_candidates(uint32_t window, std::span<const Allele> alleles, uint32_t region_filters,
                        std::span<const uint32_t> region_alleles, SiteLikelihoods* region, bool is_of_window);
    std::array<int32_t, 3> score(const ScoredSite& site, size_t candidate) const;

    const BatchContext& context_;
};

}  // namespace gannet::variants
