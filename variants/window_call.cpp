// SPDX-License-Identifier: MIT
// Provides the steps that a window goes through.
#include "variants/window_call.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gannet::variants {

namespace {

/// Marks the regions that may have sites of the window. With targets: those that may have sites of a target,
/// and from these on to either side those whose sites reads may link to them, so that the phase of a site
/// does not depend on the targets.
std::vector<uint8_t> wanted_regions(const CallContext& context, const WindowAlleles& alleles) {
    const data::Region& window = alleles.window;
    const std::vector<ActiveRegion>& regions = alleles.regions;
    std::vector<uint8_t> wanted(regions.size(), 0);
    const auto begin_of = [&](size_t i) { return regions[i].begin - allele_reach_bp(regions[i]); };
    const auto end_of = [&](size_t i) { return regions[i].end + allele_reach_bp(regions[i]); };
    const auto is_of_window = [&](size_t i) { return end_of(i) > window.begin && begin_of(i) < window.end; };
    for (size_t i = 0; i < regions.size(); ++i) {
        wanted[i] = is_of_window(i) && context.is_wanted(window, begin_of(i), end_of(i));
    }
    if (context.targets.empty() || context.scoring.examples_only) return wanted;
    for (size_t i = 1; i < regions.size(); ++i) {
        if (wanted[i - 1] != 0 && is_of_window(i) && begin_of(i) - end_of(i - 1) <= k_phase_reach_bp)
            wanted[i] = 1;
    }
    for (size_t i = regions.size(); i-- > 1;) {
        if (wanted[i] != 0 && is_of_window(i - 1) && begin_of(i) - end_of(i - 1) <= k_phase_reach_bp)
            wanted[i - 1] = 1;
    }
    return wanted;
}

/// What a site becomes: a record of the window and what it takes from the blocks, or a site of these that is
/// not called. Its trace is kept where views are asked for.
void keep(const CallContext& context, SiteCall&& site, ScoredSite* scored, WindowCall& window) {
    if (!site.genotype) {
        const int64_t position = site.record_position();
        if (context.blocks.enabled && position >= window.window.begin && position < window.window.end)
            window.blocks.uncalled.push_back({position, site.evidence.reference_likelihoods()});
        return;
    }
    const data::Variant& record = site.genotype->record;
    if (context.blocks.enabled) {
        const auto length = static_cast<int64_t>(record.alleles.front().size());
        window.blocks.covered.push_back({record.position, record.position + length});
    }
    if (!site.is_of_window) return;
    const bool is_written = context.is_in_targets(window.window, record.position);
    if (is_written && scored != nullptr && context.keeps_traces)
        window.traces.push_back({record.position, record.quality_centi, scored->asked, scored->decided,
                                 std::move(site.alleles), std::move(scored->candidates),
                                 scored->first_example});
    if (is_written) site.genotype->record.rank_sums = rank_sums_of(site.evidence, site.genotype->alleles);
    window.records.push_back(called_record(*std::move(site.genotype), site.evidence.seen, is_written));
    window.records.back().own_copies = site.place.own;
}

}  // namespace

void WindowCaller::begin(const CallContext& context, const ForcedAlleles* forced, WindowReads&& reads,
                         WindowCall& window, kernels::PairHmmBatch& jobs, ExampleBatch& examples) {
    if (reads.records.empty()) return;
    WindowAlleles& alleles = *window.alleles;
    const uint8_t ploidy = context.ploidy.at(window.window.contig, window.window.begin);
    alleles_.find({context.reference, context.parameters, context.sample, ploidy, context.scoring.enabled,
                   context.blocks.enabled},
                  std::move(reads), alleles);
    if (context.blocks.enabled) measure_confidence(context, alleles, window.blocks.confidence);
    if (context.scoring.enabled) window.profiles.clear(alleles.reads.reads.size());
    const std::vector<uint8_t> wanted = wanted_regions(context, alleles);
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] == 0) continue;
        const ActiveRegion& region = alleles.regions[i];
        if (region.is_simple) {
            call_simple_region(context, region, window, examples);
            continue;
        }
        auto built = region_builder_.build(alleles, region, alleles.candidates, context.sample.gaps,
                                           context.parameters.maximum_depth, jobs);
        if (!built) continue;
        RegionCall& call = window.regions.emplace_back(
            region_call_of(alleles, *std::move(built), jobs, context.sample.gaps, window.arena));
        call.place = alleles.extra_copy.at(region.begin);
    }
    if (forced != nullptr)
        window.forced = forced_caller_.begin(context, *forced, alleles, region_builder_, jobs, window.arena);
}

/// Reads that were taken for those of an extra copy may be the sample's own: a position may not be more
/// certain than all reads together make it.
void WindowCaller::measure_confidence(const CallContext& context, WindowAlleles& alleles,
                                      ReferenceConfidence& out) {
    const auto measure = [&](const Evidence& evidence, ReferenceConfidence& confidence) {
        confidence_.build(alleles.reads, alleles.slice, evidence, alleles.window,
                          context.parameters.minimum_base_quality, context.sample.gaps, confidence);
    };
    measure(alleles.evidence, out);
    WindowAlleles::AllReads& all = alleles.all;
    if (all.reads.empty()) return;
    ReferenceConfidence of_all;
    alleles.reads.reads.swap(all.reads);
    measure(all.evidence, of_all);
    alleles.reads.reads.swap(all.reads);
    out.lower_to(of_all);
    all = {};
}

/// SNVs whose reads show them as they are.
void WindowCaller::call_simple_region(const CallContext& context, const ActiveRegion& region,
                                      WindowCall& window, ExampleBatch& examples) {
    const WindowAlleles& alleles = *window.alleles;
    for (uint32_t i = region.first; i < region.last;) {
        const int64_t position = alleles.candidates[i].begin;
        std::array<data::Base, k_max_pile_up_alleles> bases{alleles.slice.at(position)};
        size_t count = 1;
        for (; i < region.last && alleles.candidates[i].begin == position; ++i)
            bases[count++] = alleles.evidence.arena[alleles.candidates[i].allele.alternate];
        if (!context.is_called_by(window.window, position)) continue;
        settle(context, nullptr,
               call_pile_up_site(context, alleles, position, std::span(bases).first(count), window.arena),
               window, examples);
    }
}

/// The site waits for the network, or is kept as it is.
void WindowCaller::settle(const CallContext& context, const ScoredRegion* region, SiteCall&& site,
                          WindowCall& window, ExampleBatch& examples) {
    if (!context.scoring.enabled) {
        keep(context, std::move(site), nullptr, window);
        return;
    }
    ScoredSite scored =
        ask_network(context, context.scoring, {*window.alleles, window.arena, window.profiles}, region,
                    std::move(site), examples);
    if (scored.asked == Asked::yes)
        window.waiting.push_back(std::move(scored));
    else
        keep(context, std::move(scored.site), &scored, window);
}

void WindowCaller::genotype(const CallContext& context, std::span<const int32_t> likelihoods,
                            WindowCall& window, ExampleBatch& examples) {
    for (const RegionCall& region : window.regions) {
        const ScoredRegion scored{region, likelihoods};
        for (SiteCall& site : region_caller_.call(context, window.window, region, likelihoods, window.arena))
            settle(context, &scored, std::move(site), window, examples);
    }
}

void WindowCaller::finish(const CallContext& context, const ForcedAlleles* forced,
                          std::span<const int32_t> likelihoods, std::span<const int32_t> corrections,
                          WindowCall& window, std::vector<data::Variant>& out) {
    for (ScoredSite& scored : window.waiting) {
        keep(context,
             decide(context, context.scoring.decision, scored, corrections, window.window.contig,
                    window.arena),
             &scored, window);
    }
    window.waiting.clear();
    const size_t first = out.size();
    records_.finish(context, window.records, out);
    if (forced != nullptr)
        forced_caller_.finish(context, *forced, window.window, likelihoods, window.arena, window.forced,
                              first, out);
}

void WindowCaller::reference_blocks(const CallContext& context, const WindowCall& window,
                                    std::vector<data::ReferenceBlock>& out) {
    blocks_.build(window.window, window.blocks, context.blocks, context.targets, context.ploidy, out);
}

}  // namespace gannet::variants
