// SPDX-License-Identifier: MIT
// Provides the variant caller: steps over a batch of windows, with the pair-HMM and the network left to the
// kernels.
#pragma once

#include "data/reference.hpp"
#include "data/reference_block.hpp"
#include "data/regions.hpp"
#include "data/variant.hpp"
#include "variants/call_work.hpp"
#include "variants/parameters.hpp"
#include "variants/reads/windows.hpp"
#include "variants/sample/ploidy.hpp"
#include "variants/sample/sample_model.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace gannet::variants {

class ForcedAlleles;
class SiteViews;
struct CallContext;

/// Const and thread-safe: any number of threads may use one Caller, each with its own CallWork. Method:
/// docs/calling.md (haplotypes and pair-HMM after Poplin 2017, normal form after Tan 2015). Cost without the
/// pair-HMM: about 0.1 s of one core per Mb at 30x. Throws nothing of its own. A variant belongs to the
/// window of its normalised POS, so the union over windows has each once and does not depend on how windows
/// are batched or sharded; a reference block to the targets that hold its first position.
///
/// The steps of a batch, each after the one before:
///   begin             reads -> evidence -> candidates -> active regions -> haplotypes; the jobs of the
///   pair-HMM (pair_hmm         work.jobs -> work.likelihoods) genotype          likelihoods -> genotypes of
///   regions -> records; with scoring, the examples of sites of
///                     which the network may have something to say
///   (pileup_network   work.examples.network -> work.corrections; with scoring, where there are examples)
///   finish            corrections -> records of these sites; all records sorted and phased
///   reference_blocks  for a gVCF, window by window
class Caller {
  public:
    /// `targets` empty: call everywhere. A site has the ploidy of the position of its record.
    Caller(std::shared_ptr<const data::Reference> reference, CallerParameters parameters,
           data::RegionSet targets, ScoringParameters scoring = {}, PloidyMap ploidy = {},
           SampleModel sample = {}, BlockParameters blocks = {});
    /// Alleles to genotype in any case: each has a record where there are usable reads (ForcedCaller).
    void set_forced_alleles(std::shared_ptr<const ForcedAlleles> forced) { forced_ = std::move(forced); }
    /// Offers each record, with what the scorer saw of its site, once it is finished; it must outlive this.
    /// Without a scorer there are none. To be set before the first batch.
    void set_views(SiteViews* views) { views_ = views; }
    ~Caller();
    void begin(std::vector<WindowReads> windows, CallWork& work) const;
    void genotype(CallWork& work) const;
    /// Appends the variants of all windows in genome order.
    void finish(CallWork& work, std::vector<data::Variant>& out) const;
    /// With BlockParameters::enabled: appends the reference blocks of one window of the batch (0 to
    /// window_count() - 1), which leave out what its records cover.
    void reference_blocks(CallWork& work, size_t window, std::vector<data::ReferenceBlock>& out) const;
    const CallerParameters& parameters() const { return parameters_; }
    const ScoringParameters& scoring() const { return scoring_; }
    const SampleModel& sample() const { return sample_; }

  private:
    CallContext context() const;

    std::shared_ptr<const data::Reference> reference_;
    CallerParameters parameters_;
    ScoringParameters scoring_;
    data::RegionSet targets_;
    PloidyMap ploidy_;
    SampleModel sample_;
    BlockParameters blocks_;
    std::shared_ptr<const ForcedAlleles> forced_;  ///< null: none
    SiteViews* views_ = nullptr;                   ///< null: nobody asks
};

}  // namespace gannet::variants
