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

class GivenAlleles;

/// Const and thread-safe: any number of threads may use one Caller, each with its own CallWork. Method:
/// docs/calling.md (haplotypes and pair-HMM after Poplin 2017, normal form after Tan 2015). Cost without the
/// pair-HMM: about 0.1 s of one core per Mb at 30x. Throws nothing of its own. Use: begin(windows); run
/// pair_hmm on work.jobs into work.likelihoods; genotype(). With scoring: begin(), pair_hmm, add_examples(),
/// pileup_network on work.examples into work.corrections, genotype_scored(). A variant belongs to the window
/// of its normalised POS, so the union over windows has each once and does not depend on how windows are
/// batched or sharded; a reference block to the targets that hold its first position.
class Caller {
  public:
    /// `targets` empty: call everywhere. A site has the ploidy of the position of its record.
    Caller(std::shared_ptr<const data::Reference> reference, CallerParameters parameters,
           data::RegionSet targets, ScoringParameters scoring = {}, PloidyMap ploidy = {},
           SampleModel sample = {}, BlockParameters blocks = {});
    /// Alleles to genotype in any case: each has a record where there are usable reads (GivenCaller).
    void set_given_alleles(std::shared_ptr<const GivenAlleles> given) { given_ = std::move(given); }
    ~Caller();
    void begin(std::vector<WindowReads> windows, CallWork& work) const;
    /// Appends the variants of all windows in genome order.
    void genotype(CallWork& work, std::vector<data::Variant>& out) const;
    /// Genotypes the regions of the batch; of sites that the network may have something to say of, it appends
    /// the examples to the work. With scoring only.
    void add_examples(CallWork& work) const;
    /// As genotype(), with what counts of work.corrections (variants/scorer/decision.hpp). Where the network
    /// says nothing the calls are those of genotype().
    void genotype_scored(CallWork& work, std::vector<data::Variant>& out) const;
    /// With BlockParameters::enabled, after genotyping: appends the reference blocks of one window of the
    /// batch (0 to window_count() - 1), which leave out what its records cover.
    void reference_blocks(CallWork& work, size_t window, std::vector<data::ReferenceBlock>& out) const;
    const CallerParameters& parameters() const { return parameters_; }
    const ScoringParameters& scoring() const { return scoring_; }
    const SampleModel& sample() const { return sample_; }

  private:
    std::shared_ptr<const data::Reference> reference_;
    CallerParameters parameters_;
    ScoringParameters scoring_;
    data::RegionSet targets_;
    PloidyMap ploidy_;
    SampleModel sample_;
    BlockParameters blocks_;
    std::shared_ptr<const GivenAlleles> given_;  ///< null: none
};

}  // namespace gannet::variants
