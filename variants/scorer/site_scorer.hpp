// SPDX-License-Identifier: MIT
// Provides calling with the network: which of the caller's sites wait for it, their examples, and what is
// called in the end.
#pragma once

#include "variants/genotype/region_call.hpp"
#include "variants/genotype/site_call.hpp"
#include "variants/genotype/site_statistics.hpp"
#include "variants/model/scorer.hpp"
#include "variants/records/record.hpp"
#include "variants/scorer/decision.hpp"
#include "variants/scorer/example_batch.hpp"
#include "variants/scorer/read_profiles.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// A candidate allele of a site.
struct ScoredAllele {
    AlleleStatistics statistics;
    ml::ExampleFacts facts;  ///< what the decision depends on (scorer/decision.hpp)
    // After decide(): what of the network's output counted, and the posterior of the site with it.
    CopyLogs correction{};
    CopyLogs corrected{};
};

/// Where the usual read of the sample is longer the network is silent.
inline constexpr int32_t k_max_scored_read_bp = scorer_number("scored_max_read_bp");

/// Whether the network is asked about a site, or why not.
enum class Asked : uint8_t {
    yes,
    no_candidate,    ///< no allele reaches the model's minimum presence
    no_stratum,      ///< the model names none for kind, depth and context of any candidate
    not_measured,    ///< there were too few reads to measure the sample, of which the example tells
    long_reads,      ///< the usual read is longer than those that the network has learned from
    improper_pairs,  ///< most pairs are not proper, a bad sign where it has learned
    settled,         ///< the caller calls it, with nothing unusual
    given,           ///< a record of --alleles, which the caller alone genotypes
};

/// Whose word counts in the end.
enum class Decided : uint8_t {
    caller,        ///< the network was not asked, or nothing of its output counted
    neither,       ///< neither the caller's call nor that with the network passes: the caller's record stands
    with_network,  ///< the corrected posterior
};

/// A site as the caller has decided it.
struct ScoredSite {
    SiteCall site;
    std::vector<ScoredAllele> candidates;  ///< alleles of the evidence
    uint32_t first_example = 0;            ///< of the candidates, one each
    Asked asked = Asked::yes;              ///< yes: it waits for the network
    Decided decided = Decided::caller;     ///< after decide()
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

/// Whether the model may have something to say of an allele of a site, which the caller has decided and whose
/// record is finished: then its examples are appended to `out`, and the site waits. Else what the caller says
/// stands. `region`: null for a site of the pile-up. Cost of an example: about the bases of the reads at the
/// position.
ScoredSite ask_network(const CallModel& model, const ScoringParameters& scoring, const ScoredWindow& window,
                       const ScoredRegion* region, SiteCall&& site, ExampleBatch& out);

/// The site after the network's answer, with a finished record where it is called. The caller's call stands
/// where the network is silent, and where neither of both passes. `corrections`: of all examples of the
/// batch. Of `scored`, the site is taken, and what was decided is filled in.
SiteCall decide(const CallModel& model, const ml::Decision& decision, ScoredSite& scored,
                std::span<const int32_t> corrections, uint32_t contig, const std::vector<data::Base>& arena);

/// Of an allele: where the model's network counts, and how; null: nowhere.
const ml::Stratum* stratum_of(const ml::Decision& decision, const ml::ExampleFacts& allele);

}  // namespace gannet::variants
