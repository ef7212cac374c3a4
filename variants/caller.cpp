// SPDX-License-Identifier: MIT
// Provides the variant caller: the steps over a batch of windows, before and after the kernels.
#include "variants/caller.hpp"

#include "variants/call_state.hpp"

#include <span>
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

CallContext Caller::context() const {
    return {{*reference_, parameters_, sample_}, scoring_, targets_, ploidy_, blocks_, views_ != nullptr};
}

void Caller::begin(std::vector<WindowReads> windows, CallWork& work) const {
    work.clear();
    for (WindowReads& reads : windows) {
        WindowCall& window = work.state->add_window(reads.window, scoring_.enabled);
        work.state->caller.begin(context(), forced_.get(), std::move(reads), window, work.jobs,
                                 work.examples);
    }
}

void Caller::genotype(CallWork& work) const {
    for (WindowCall& window : work.state->windows())
        work.state->caller.genotype(context(), work.likelihoods, window, work.examples);
}

void Caller::finish(CallWork& work, std::vector<data::Variant>& out) const {
    for (WindowCall& window : work.state->windows()) {
        const size_t first = out.size();
        work.state->caller.finish(context(), forced_.get(), work.likelihoods, work.corrections, window, out);
        if (views_ != nullptr && scoring_.enabled)
            offer_views(context(), scoring_.decision, window.traces, window.arena, work.examples,
                        work.corrections, std::span<const data::Variant>(out).subspan(first), *views_);
    }
}

void Caller::reference_blocks(CallWork& work, size_t window, std::vector<data::ReferenceBlock>& out) const {
    work.state->caller.reference_blocks(context(), work.state->windows()[window], out);
}

}  // namespace gannet::variants
