// SPDX-License-Identifier: MIT
// Provides the calls of single sites.
#include "variants/region_caller.hpp"

#include "variants/records/filters.hpp"
#include "variants/records/record.hpp"

#include <algorithm>
#include <utility>

namespace gannet::variants {

namespace {

/// The alternates of a site of a region.
std::vector<Allele> alleles_of(const RegionCall& region, const RegionSite& site) {
    std::vector<Allele> alleles;
    for (const uint32_t index : site.alleles) alleles.push_back(region.alleles[index]);
    return alleles;
}

SiteEvidence empty_evidence(const CallContext& context) {
    SiteEvidence evidence;
    evidence.has_unobserved = context.blocks.enabled;
    return evidence;
}

}  // namespace

SiteCall call_pile_up_site(const CallContext& context, const WindowAlleles& window, int64_t position,
                           std::span<const data::Base> bases, std::vector<data::Base>& arena) {
    const uint32_t contig = window.window.contig;
    SiteCall site;
    site.evidence = empty_evidence(context);
    pile_up(window.reads, position, bases, context.ploidy.at(contig, position),
            context.parameters.minimum_base_quality, context.sample.contamination, site.evidence);
    for (const data::Base base : bases.subspan(1)) {
        site.alleles.push_back({position, 1, static_cast<uint32_t>(arena.size()), 1});
        arena.push_back(base);
    }
    site.place = window.extra_copy.at(position);
    site.genotype = call_site(site.evidence, k_min_written_quality_centi);
    if (site.genotype) {
        write_alleles(context.reference, contig, site.alleles, arena, site.genotype->alleles,
                      site.genotype->record);
        finish_record(context, DecidedBy::caller, site.place, 0, site.genotype->record);
    }
    return site;
}

std::vector<SiteCall> RegionCaller::call(const CallContext& context, const data::Region& window,
                                         const RegionCall& region, std::span<const int32_t> likelihoods,
                                         const std::vector<data::Base>& arena) {
    const Input input{context, window, region, arena};
    genotyper_.load(region_case_of(region, likelihoods, context.sample.contamination));
    called_of_site_.assign(genotyper_.sites().size(), std::nullopt);
    std::vector<SiteCall> calls;
    for (const RegionSite& site : genotyper_.sites()) {
        const int64_t position = region.alleles[site.alleles.front()].record_position();
        const bool is_of_window = context.is_called_by(window, position);
        int64_t end = position + 1;
        for (const uint32_t index : site.alleles) end = std::max(end, region.alleles[index].end());
        if (is_of_window || context.reaches_into_blocks(window, position, end))
            calls.push_back(call_site_of(input, site, is_of_window));
    }
    return calls;
}

SiteCall RegionCaller::call_site_of(const Input& input, const RegionSite& site, bool is_of_window) {
    const auto& [context, window, region, arena] = input;
    SiteCall call;
    call.alleles = alleles_of(region, site);
    call.region_alleles = site.alleles;
    for (const uint32_t index : site.alleles)
        call.stutter_per_million.push_back(region.stutter_per_million[index]);
    call.place = region.place;
    call.is_of_window = is_of_window;
    call.evidence = empty_evidence(context);
    genotyper_.evidence_of(site, context.ploidy.at(window.contig, call.record_position()), call.evidence);
    call.genotype = call_site(call.evidence, k_min_written_quality_centi);
    if (!call.genotype) return call;
    if (is_of_window) call_beside_deletion(input, site, call);
    data::Variant& record = call.genotype->record;
    write_alleles(context.reference, window.contig, call.alleles, arena, call.genotype->alleles, record);
    if (is_of_window) finish_record(context, DecidedBy::caller, region.place, stutter_of_call(call), record);
    return call;
}

/// Calls a site again where the haplotype without the variant has a deletion over it.
void RegionCaller::call_beside_deletion(const Input& input, const RegionSite& site, SiteCall& call) {
    const data::Variant& plain = call.genotype->record;
    if (plain.ploidy != k_max_ploidy || plain.genotype[0] != 0) return;
    const AlleleSet deletions = called_deletions(input, site);
    if (deletions == 0) return;
    SiteEvidence evidence = empty_evidence(input.context);
    genotyper_.evidence_of(site, k_max_ploidy, deletions, evidence);
    std::optional<SiteGenotype> genotype = call_site(evidence, k_min_written_quality_centi);
    if (!genotype || !evidence.is_spanning(genotype->alleles.back())) return;
    call.evidence = std::move(evidence);
    call.genotype = std::move(genotype);
}

/// The alleles that delete the position of the site's record and are called, with no filter, in one of two
/// copies.
AlleleSet RegionCaller::called_deletions(const Input& input, const RegionSite& site) {
    const AlleleSet spanning = genotyper_.spanning_deletions(site);
    if (spanning == 0) return 0;
    AlleleSet called = 0;
    for (size_t i = 0; i < genotyper_.sites().size(); ++i) {
        const auto& alleles = genotyper_.sites()[i].alleles;
        if (std::any_of(alleles.begin(), alleles.end(), [&](uint32_t a) { return (spanning >> a & 1) != 0; }))
            called |= spanning & called_alleles(input, i);
    }
    return called;
}

/// The alleles of a site that are called, by itself and with no filter, in one of two copies.
AlleleSet RegionCaller::called_alleles(const Input& input, size_t index) {
    std::optional<AlleleSet>& called = called_of_site_[index];
    if (called) return *called;
    called = 0;
    const auto& [context, window, region, arena] = input;
    const RegionSite& site = genotyper_.sites()[index];
    SiteEvidence evidence;
    genotyper_.evidence_of(site, k_max_ploidy, evidence);
    std::optional<SiteGenotype> genotype = call_site(evidence, k_min_written_quality_centi);
    if (!genotype || genotype->record.genotype[0] == genotype->record.genotype[1]) return *called;
    write_alleles(context.reference, window.contig, alleles_of(region, site), arena, genotype->alleles,
                  genotype->record);
    if (filters_of(context.parameters, statistics_of(context, region.place, genotype->record), 0) != 0)
        return *called;
    for (const size_t allele : genotype->alleles) {
        if (allele > 0) *called |= AlleleSet{1} << site.alleles[allele - 1];
    }
    return *called;
}

}  // namespace gannet::variants
