// SPDX-License-Identifier: MIT
// Provides a window of a batch on its way from reads to records, and the steps that take it there.
#pragma once

#include "data/regions.hpp"
#include "data/variant.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "variants/alleles/forced_alleles.hpp"
#include "variants/alleles/region_alleles.hpp"
#include "variants/alleles/window_alleles.hpp"
#include "variants/call_context.hpp"
#include "variants/forced_caller.hpp"
#include "variants/genotype/region_call.hpp"
#include "variants/records/reference_blocks.hpp"
#include "variants/records/reference_confidence.hpp"
#include "variants/records/window_records.hpp"
#include "variants/region_caller.hpp"
#include "variants/scorer/example_batch.hpp"
#include "variants/scorer/read_profiles.hpp"
#include "variants/scorer/site_scorer.hpp"
#include "variants/scorer/site_view.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gannet::variants {

struct WindowCall {
    data::Region window;  ///< without the padding
    std::shared_ptr<WindowAlleles> alleles;
    ReadProfiles profiles;          ///< of the window's reads, for the scorer
    std::vector<data::Base> arena;  ///< bases of the alleles of sites and regions
    std::vector<RegionCall> regions;
    std::vector<ScoredSite> waiting;  ///< for the network
    std::vector<ForcedSite> forced;
    std::vector<CalledRecord> records;
    std::vector<SiteTrace> traces;  ///< of the records, with CallContext::keeps_traces
    WindowBlocks blocks;            ///< filled where a gVCF is asked for
};

/// The steps of one window, with their scratch: one object serves one thread.
class WindowCaller {
  public:
    /// Reads to candidates, the genotypes of simple regions from the pile-up, and the jobs of the others and
    /// of forced alleles. `forced`: null: none.
    void begin(const CallContext& context, const ForcedAlleles* forced, WindowReads&& reads,
               WindowCall& window, kernels::PairHmmBatch& jobs, ExampleBatch& examples);
    /// Genotypes of the regions. `likelihoods`: of the jobs of the batch.
    void genotype(const CallContext& context, std::span<const int32_t> likelihoods, WindowCall& window,
                  ExampleBatch& examples);
    /// Decides the sites that wait for the network, and appends the records of the window to `out`, sorted
    /// and phased. `corrections`: of the examples of the batch; not read where no site waits.
    void finish(const CallContext& context, const ForcedAlleles* forced, std::span<const int32_t> likelihoods,
                std::span<const int32_t> corrections, WindowCall& window, std::vector<data::Variant>& out);
    /// After finish(): appends the reference blocks of the window.
    void reference_blocks(const CallContext& context, const WindowCall& window,
                          std::vector<data::ReferenceBlock>& out);

  private:
    void measure_confidence(const CallContext& context, WindowAlleles& alleles, ReferenceConfidence& out);
    void call_simple_region(const CallContext& context, const ActiveRegion& region, WindowCall& window,
                            ExampleBatch& examples);
    void settle(const CallContext& context, const ScoredRegion* region, SiteCall&& site, WindowCall& window,
                ExampleBatch& examples);

    AlleleFinder alleles_;
    ReferenceConfidenceBuilder confidence_;
    RegionBuilder region_builder_;
    RegionCaller region_caller_;
    ForcedCaller forced_caller_;
    RecordPhaser records_;
    BlockBuilder blocks_;
};

}  // namespace gannet::variants
