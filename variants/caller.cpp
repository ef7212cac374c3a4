// SPDX-License-Identifier: MIT
// Provides the variant caller: the steps over a batch of windows, before and after the kernels.
#include "variants/caller.hpp"

#include "variants/batch_context.hpp"
#include "variants/given_caller.hpp"
#include "variants/region_caller.hpp"
#include "variants/scored_caller.hpp"

#include <utility>

namespace gannet::variants {

Caller::Caller(std::shared_ptr<const data::Reference> reference, CallerParameters parameters,
               data::RegionSet targets, ScoringParameters scoring, PloidyMap ploidy, SampleModel sample,
               BlockParameters blocks)
    : reference_(std::move(reference)),
      parameters_(parameters),
      scoring_(scoring),
      targets_(std::move(targets)),
      ploidy_(std::move(ploidy)),
      sample_(sample),
      blocks_(std::move(blocks)) {}
Caller::~Caller() = default;

void Caller::begin(std::vector<WindowReads> windows, CallWork& work) const {
    work.clear();
    work.state->site.has_unobserved = work.state->spanned_site.has_unobserved = blocks_.enabled;
    const BatchContext context{*reference_, parameters_, scoring_, targets_, ploidy_, sample_, blocks_, work};
    RegionCaller caller(context);
    for (WindowReads& window : windows) {
        const auto index = static_cast<uint32_t>(work.state->grid_windows.size());
        const bool has_records = !window.records.empty();
        caller.begin_window(std::move(window));
        if (given_ && has_records) GivenCaller(context, *given_).begin_window(caller, index);
    }
}

void Caller::genotype(CallWork& work, std::vector<data::Variant>& out) const {
    const BatchContext context{*reference_, parameters_, scoring_, targets_, ploidy_, sample_, blocks_, work};
    RegionCaller caller(context);
    const size_t first = out.size();
    for (const RegionTask& task : work.state->tasks) caller.genotype(task);
    context.finish_calls(out);
    if (given_) GivenCaller(context, *given_).finish(out, first);
}

void Caller::add_examples(CallWork& work) const {
    const BatchContext context{*reference_, parameters_, scoring_, targets_, ploidy_, sample_, blocks_, work};
    RegionCaller caller(context);
    for (const RegionTask& task : work.state->tasks) caller.genotype(task);
}

void Caller::genotype_scored(CallWork& work, std::vector<data::Variant>& out) const {
    const BatchContext context{*reference_, parameters_, scoring_, targets_, ploidy_, sample_, blocks_, work};
    ScoredCaller caller(context);
    const size_t first = out.size();
    for (size_t i = 0; i < work.state->site_count; ++i) caller.genotype(work.state->sites[i]);
    context.finish_calls(out);
    if (given_) GivenCaller(context, *given_).finish(out, first);
}

void Caller::reference_blocks(CallWork& work, size_t window, std::vector<data::ReferenceBlock>& out) const {
    CallWork::State& s = *work.state;
    s.block_builder.build(s.grid_windows[window], s.blocks[window], blocks_, targets_, ploidy_, out);
}

}  // namespace gannet::variants
