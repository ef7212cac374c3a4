// SPDX-License-Identifier: MIT
// Provides calling with the network: which of the caller's sites wait for it, their examples, and what is
// called in the end.
#pragma once

#include "variants/batch_context.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace gannet::variants {

/// A site that the caller has decided by itself.
struct DecidedSite {
    uint32_t window = 0;
    bool is_of_window = true;  ///< as RegionSiteView has it
    std::span<const Allele> alleles;
    uint32_t region_filters = 0;             ///< see filters_of()
    const RegionSiteView* region = nullptr;  ///< null: of the pile-up
    const SiteEvidence* evidence = nullptr;  ///< that the call was made from
    const data::Variant* variant = nullptr;  ///< null: not called; `state().called_alleles` are its alleles
};

class ScoredCaller {
  public:
    explicit ScoredCaller(const BatchContext& context) : context_(context) {}

    /// True: the model has something to say of an allele of the site, which now waits for the network, with
    /// its examples in the batch. False: what the caller says stands.
    bool take(const DecidedSite& decided);
    /// Decides a site that waited, and adds what is called to the calls of the batch; of a site that is not
    /// of its window, to the window's blocks alone.
    void genotype(const ScoredSite& site);

  private:
    bool add_candidates(const DecidedSite& decided, ScoredSite& site);
    void add_examples(const DecidedSite& decided, ScoredSite& site);
    bool correct(const ScoredSite& site);
    void add(const ScoredSite& site, data::Variant&& variant, const SiteEvidence& evidence);

    const BatchContext& context_;
};

}  // namespace gannet::variants
