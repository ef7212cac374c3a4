// SPDX-License-Identifier: MIT
// Provides the variant caller: the steps over a batch of windows, before and after the kernels.
#include "variants/caller.hpp"

#include "variants/batch_context.hpp"
#include "variants/region_caller.hpp"
#include "variants/scored_caller.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace gannet::variants {

namespace {

void sort_variants(std::span<data::Variant> variants) {
    std::sort(variants.begin(), variants.end(), [](const data::Variant& a, const data::Variant& b) {
        if (a.contig != b.contig) return a.contig < b.contig;
        if (a.position != b.position) return a.position < b.position;
        return a.alleles < b.alleles;
    });
}

}  // namespace

Caller::Caller(std::shared_ptr<const data::Reference> reference, CallerParameters parameters,
               data::RegionSet targets, ScoringParameters scoring, PloidyMap ploidy)
    : reference_(std::move(reference)),
      parameters_(parameters),
      scoring_(scoring),
      targets_(std::move(targets)),
      ploidy_(std::move(ploidy)) {}
Caller::~Caller() = default;

void Caller::begin(std::vector<WindowReads> windows, CallWork& work) const {
    work.clear();
    const BatchContext context{*reference_, parameters_, scoring_, targets_, ploidy_, work};
    RegionCaller caller(context);
    for (const WindowReads& window : windows) caller.begin_window(window);
}

void Caller::genotype(CallWork& work, std::vector<data::Variant>& out) const {
    const BatchContext context{*reference_, parameters_, scoring_, targets_, ploidy_, work};
    RegionCaller caller(context);
    const size_t first = out.size();
    for (data::Variant& variant : work.state->pile_up_calls) out.push_back(std::move(variant));
    for (const RegionTask& task : work.state->tasks) caller.genotype(task, out);
    sort_variants(std::span(out).subspan(first));
}

void Caller::add_examples(CallWork& work) const {
    const BatchContext context{*reference_, parameters_, scoring_, targets_, ploidy_, work};
    ScoredCaller caller(context);
    for (const RegionTask& task : work.state->tasks) caller.add_region_candidates(task);
}

void Caller::genotype_scored(CallWork& work, std::vector<data::Variant>& out) const {
    const BatchContext context{*reference_, parameters_, scoring_, targets_, ploidy_, work};
    ScoredCaller caller(context);
    const size_t first = out.size();
    for (size_t i = 0; i < work.state->site_count; ++i) {
        data::Variant variant;
        if (caller.genotype(work.state->sites[i], variant)) out.push_back(std::move(variant));
    }
    sort_variants(std::span(out).subspan(first));
}

}  // namespace gannet::variants
