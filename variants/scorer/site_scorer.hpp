// SPDX-License-Identifier: MIT
// Provides calling with the network: which of the caller's sites wait for it, their examples, and what is
// called in the end.
#pragma once

#include "variants/genotype/region_call.hpp"
#include "variants/genotype/site_call.hpp"
#include "variants/genotype/site_statistics.hpp"
#include "variants/records/record.hpp"
#include "variants/scorer/example_batch.hpp"
#include "variants/scorer/example_builder.hpp"
#include "variants/scorer/read_profiles.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gannet::variants {

/// A candidate allele of a site.
struct ScoredAllele {
    AlleleStatistics statistics;
    ml::ExampleFacts facts;  ///< what the decision depends on (scorer/decision.hpp)
};

/// A site that waits for the network, as the caller has decided it.
struct ScoredSite {
    SiteCall site;
    std::vector<ScoredAllele> candidates;  ///< alleles of the evidence
    uint32_t first_example = 0;            ///< of the candidates, one each
};

/// The window of a site, with what is kept of it until the network has answered.
struct ScoredWindow {
    const WindowAlleles& alleles;
    const std::vector<data::Base>& arena;  ///< of the alleles of its sites
    ReadProfiles& profiles;
};

/// Of a site of a region. `likelihoods`: those of the batch.
struct ScoredRegion {
    const RegionCall& region;
    std::span<const int32_t> likelihoods;
};

/// Scratch is kept. Cost of an example: about the bases of the reads at the position.
class SiteScorer {
  public:
    /// Whether the model may have something to say of an allele of a site, which the caller has decided and
    /// whose record is finished: then its examples are appended to `out`, and the site waits. Empty: what the
    /// caller says stands. `region`: null for a site of the pile-up.
    std::optional<ScoredSite> take(const CallModel& model, const ScoringParameters& scoring,
                                   const ScoredWindow& window, const ScoredRegion* region,
                                   const SiteCall& site, ExampleBatch& out);

  private:
    void add_examples(const CallModel& model, const ScoredWindow& window, const ScoredRegion* region,
                      ScoredSite& scored, ExampleBatch& out);

    ExampleBuilder examples_;
};

/// The site after the network's answer, with a finished record where it is called. The caller's call stands
/// where the network is silent, and where neither of both passes. `corrections`: of all examples of the
/// batch.
SiteCall decide(const CallModel& model, const ml::Decision& decision, ScoredSite&& scored,
                std::span<const int32_t> corrections, uint32_t contig, const std::vector<data::Base>& arena);

}  // namespace gannet::variants
