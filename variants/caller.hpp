// SPDX-License-Identifier: MIT
// Provides the variant caller: steps over a batch of windows, with the pair-HMM handed out to the kernels.
#pragma once

#include "data/reference.hpp"
#include "data/regions.hpp"
#include "data/variant.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "kernels/pileup_network/pileup_network.hpp"
#include "ml/example.hpp"
#include "variants/windows.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gannet::variants {

/// Everything that affects a result; each is an option or a constant, and is written to the output's header.
struct CallerParameters {
    int32_t minimum_mapping_quality = 20;
    int32_t minimum_base_quality = 10;
    int32_t minimum_quality_centi = 1000;  ///< QUAL * 100 below which a site is LowQual
    int32_t maximum_depth = 250;           ///< reads of a region beyond are left out by a hash of their names
    std::string to_text() const;
};

/// What the scorer sees, and what becomes of its word.
struct ScoringParameters {
    bool enabled = false;
    /// Alleles get an example where the caller's log10 P(any copy), x 65536, is at least this.
    int32_t least_presence = -7 * ml::k_base_scale / 2;
    /// QUAL * 100 below which a site is LowQual: there is as likely as not; chosen on held-out simulated
    /// genomes.
    int32_t minimum_quality_centi = 300;
    /// A plain site of which the caller is this certain (Phred, of its number of copies) gets no example: the
    /// caller's word stands (is_plain). 0: every candidate gets one.
    int32_t settle_phred = 40;
};

/// All scratch of one batch of windows in flight.
class CallWork {
  public:
    CallWork();
    ~CallWork();
    CallWork(CallWork&&) noexcept;
    CallWork& operator=(CallWork&&) noexcept;

    kernels::PairHmmBatch jobs;
    std::vector<int32_t> likelihoods;
    // With scoring: examples of all candidates, in the order in which they were found, and the network's
    // answer.
    kernels::PileupNetworkBatch examples;
    std::vector<ml::ExampleFacts> facts;
    std::vector<data::Base> fact_bases;  ///< alternate bases that the facts point into
    std::vector<int32_t> corrections;
    struct State;
    std::unique_ptr<State> state;
};

/// Const and thread-safe: any number of threads may use one Caller, each with its own CallWork. Method:
/// docs/calling.md (haplotypes and pair-HMM after Poplin 2017, normal form after Tan 2015). Cost without the
/// pair-HMM: about 0.1 s of a core a Mb at 30x. Throws nothing of its own. Use: begin(windows); run pair_hmm
/// on work.jobs into work.likelihoods; finish(). With scoring: begin(), pair_hmm, encode(), pileup_network on
/// work.examples into work.corrections, finish_scored(). A variant belongs to the window of its normalised
/// POS, so the union over windows has each once and does not depend on how windows are batched or sharded.
class Caller {
  public:
    Caller(std::shared_ptr<const data::Reference> reference, CallerParameters parameters,
           data::RegionSet targets, ScoringParameters scoring = {});
    ~Caller();
    void begin(std::vector<WindowReads> windows, CallWork& work) const;
    /// Variants of all windows in genome order.
    void finish(CallWork& work, std::vector<data::Variant>& out) const;
    /// Examples of all candidates; with scoring only.
    void encode(CallWork& work) const;
    /// As finish(), with work.corrections added to the posteriors; filters are the network's word alone.
    void finish_scored(CallWork& work, std::vector<data::Variant>& out) const;
    const CallerParameters& parameters() const { return parameters_; }
    const ScoringParameters& scoring() const { return scoring_; }

  private:
    std::shared_ptr<const data::Reference> reference_;
    CallerParameters parameters_;
    ScoringParameters scoring_;
    data::RegionSet targets_;  ///< empty: everything
};

}  // namespace gannet::variants
