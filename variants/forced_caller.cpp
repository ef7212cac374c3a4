// SPDX-License-Identifier: MIT
// Provides the regions and the evidence of forced alleles.
#include "variants/forced_caller.hpp"

#include "variants/records/missing_alleles.hpp"
#include "variants/records/record.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace gannet::variants {

namespace {

constexpr uint32_t k_forced_support = 1u << 30;  // more than any: a forced allele is never left out

/// Events of the allele: [first, last) of the evidence's indels.
void find_events(const Evidence& evidence, const Allele& allele, const std::vector<data::Base>& arena,
                 Candidate& candidate) {
    const auto& events = evidence.indels;
    const auto order = [&](const IndelEvent& event) {
        if (event.allele.position != allele.position) return event.allele.position < allele.position ? -1 : 1;
        if (event.allele.reference_length != allele.reference_length)
            return event.allele.reference_length < allele.reference_length ? -1 : 1;
        if (event.allele.alternate_length != allele.alternate_length)
            return event.allele.alternate_length < allele.alternate_length ? -1 : 1;
        const auto left = bases_of(event.allele, evidence.arena);
        const auto right = bases_of(allele, arena);
        const auto result =
            std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(), right.end());
        return result < 0 ? -1 : result > 0 ? 1 : 0;
    };
    const auto first = std::partition_point(events.begin(), events.end(),
                                            [&](const IndelEvent& event) { return order(event) < 0; });
    const auto last =
        std::partition_point(first, events.end(), [&](const IndelEvent& event) { return order(event) == 0; });
    candidate.first_event = static_cast<uint32_t>(first - events.begin());
    candidate.last_event = static_cast<uint32_t>(last - events.begin());
}

/// The SNVs of a site from the pile-up, together with the candidates there.
void add_snvs(const CallContext& context, const ForcedAlleles& forced, const WindowAlleles& window,
              ForcedSite& site) {
    const int64_t position = site.alleles[0].position;
    std::array<data::Base, k_max_pile_up_alleles> bases{window.slice.at(position)};
    size_t count = 1;
    const auto add = [&](data::Base base) {
        const auto end = bases.begin() + static_cast<std::ptrdiff_t>(count);
        if (count < bases.size() && std::find(bases.begin(), end, base) == end) bases[count++] = base;
    };
    for (const Allele& allele : site.alleles) {
        add(forced.arena()[allele.alternate]);
        site.place.push_back(count - 1);
    }
    const auto candidate = std::partition_point(window.candidates.begin(), window.candidates.end(),
                                                [&](const Candidate& c) { return c.begin < position; });
    for (auto c = candidate; c != window.candidates.end() && c->begin == position; ++c) {
        if (c->kind == CandidateKind::snp) add(window.evidence.arena[c->allele.alternate]);
    }
    pile_up(window.reads, position, std::span(bases).first(count), site.ploidy,
            context.parameters.minimum_base_quality, context.sample.contamination, site.evidence);
}

/// The forced alleles of a site as candidates.
std::vector<Candidate> forced_candidates(const ForcedAlleles& forced, const ForcedSite& site,
                                         WindowAlleles& window) {
    Evidence& evidence = window.evidence;
    const int64_t begin = site.alleles[0].record_position();
    std::vector<Candidate> candidates;
    for (const Allele& allele : site.alleles) {
        Candidate& candidate =
            candidates.emplace_back(Candidate{begin, 0, CandidateKind::indel, allele, k_forced_support});
        find_events(evidence, allele, forced.arena(), candidate);
        const auto bases = bases_of(allele, forced.arena());
        candidate.allele.alternate = static_cast<uint32_t>(evidence.arena.size());
        evidence.arena.insert(evidence.arena.end(), bases.begin(), bases.end());
        const int64_t shift_bp = rightward_shift_bp(window.slice, candidate.allele, evidence.arena);
        candidate.end = evidence.end_of_candidate(candidate.allele, shift_bp);
    }
    return candidates;
}

/// Appends the candidates of the window that overlap the first `own`, which are the forced ones.
void add_candidates_beside(const WindowAlleles& window, size_t own, int64_t begin, int64_t end,
                           std::vector<Candidate>& candidates) {
    for (const Candidate& candidate : window.candidates) {
        if (candidate.begin >= end) break;
        if (candidate.kind == CandidateKind::clip || candidate.end <= begin) continue;
        const bool is_forced =
            std::any_of(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(own),
                        [&](const Candidate& f) {
                            return compare_alleles(f.allele, candidate.allele, window.evidence.arena) == 0;
                        });
        if (!is_forced) candidates.push_back(candidate);
    }
}

/// Whether some haplotype of the region has the allele.
bool is_carried(const RegionHaplotypes& region, const Allele& allele, const std::vector<data::Base>& arena) {
    return std::any_of(region.haplotypes.begin(), region.haplotypes.end(), [&](AlleleSet set) {
        for (size_t a = 0; a < region.alleles.size(); ++a) {
            if ((set >> a & 1) != 0 && compare_alleles(region.alleles[a], allele, arena) == 0) return true;
        }
        return false;
    });
}

/// What becomes of the region of forced indels.
struct ForcedRegion {
    bool has_alleles = true;              ///< false: a forced allele is on none of its haplotypes
    std::optional<RegionAlleles> region;  ///< empty: no reads
};

ForcedRegion build_region(const CallContext& context, const ForcedAlleles& forced, const ForcedSite& site,
                          bool with_candidates, WindowAlleles& window, RegionBuilder& regions,
                          kernels::PairHmmBatch& jobs) {
    std::vector<Candidate> candidates = forced_candidates(forced, site, window);
    const size_t own = candidates.size();
    ActiveRegion region{site.alleles[0].record_position(), 0, 0, 0, false, false};
    for (const Candidate& candidate : candidates) region.end = std::max(region.end, candidate.end);
    if (with_candidates) add_candidates_beside(window, own, region.begin, region.end, candidates);
    for (const Candidate& candidate : candidates) {
        region.begin = std::min(region.begin, candidate.begin);
        region.end = std::max(region.end, candidate.end);
    }
    region.last = static_cast<uint32_t>(candidates.size());
    ForcedRegion out;
    out.region = regions.build(window, region, candidates, context.sample.gaps,
                               context.parameters.maximum_depth, jobs);
    if (!out.region) return out;
    for (size_t i = 0; i < own; ++i)
        out.has_alleles &= is_carried(out.region->haplotypes, candidates[i].allele, window.evidence.arena);
    return out;
}

/// The evidence of the alleles `kept` of a site: all others count as the reference.
SiteEvidence collapsed(const ForcedSite& site, const std::vector<size_t>& kept) {
    const SiteEvidence& all = site.evidence;
    SiteEvidence out;
    out.reset(kept.size() + 1, all.ploidy);
    out.squared_mapping_quality = all.squared_mapping_quality;
    out.fragments = all.fragments;
    out.strands[0] = all.strands[0];
    std::vector<size_t> number(all.alleles, 0);
    for (size_t i = 0; i < kept.size(); ++i) {
        const size_t place = site.place[kept[i]];
        number[place] = i + 1;
        out.priors[i + 1] = all.priors[place];
        out.strands[i + 1] = all.strands[place];
    }
    // Reads of alleles that are not of the record are neither reference nor alternate.
    for (const PlacedRead& read : all.places) {
        const size_t allele = number[read.allele];
        if (allele != 0 || read.allele == 0) out.add_place(allele, read.mapping_quality, read.place);
    }
    constexpr int64_t k_never = std::numeric_limits<int64_t>::min() / 8;
    std::fill(out.genotypes.begin(), out.genotypes.end(), k_never);
    for_each_genotype(all.alleles, all.ploidy, [&](const Genotype& genotype) {
        Genotype seen = genotype;
        for (size_t i = 0; i < seen.ploidy; ++i) seen.alleles[i] = number[seen.alleles[i]];
        seen.sort();
        int64_t& best = out.genotypes[genotype_index(seen)];
        best = std::max(best, all.genotypes[genotype_index(genotype)]);
    });
    return out;
}

/// The record of the alleles `kept` of a site.
data::Variant record_of(const CallContext& context, const ForcedAlleles& forced, uint32_t contig,
                        const ForcedSite& site, const std::vector<size_t>& kept) {
    const SiteEvidence evidence = collapsed(site, kept);
    SiteGenotype genotype = genotype_site(evidence);
    data::Variant& record = genotype.record;
    record.rank_sums = rank_sums_of(evidence, genotype.alleles);
    record.depth = site.evidence.fragments;
    std::vector<Allele> alleles;
    int32_t stutter = 0;
    for (const size_t i : kept) {
        alleles.push_back(site.alleles[i]);
        const bool is_called = std::find(record.genotype.begin(), record.genotype.end(),
                                         static_cast<int8_t>(alleles.size())) != record.genotype.end();
        if (is_called && i < site.stutter_per_million.size())
            stutter = std::max(stutter, site.stutter_per_million[i]);
    }
    write_alleles(context.reference, contig, alleles, forced.arena(), genotype.alleles, record);
    finish_record(context, DecidedBy::caller, site.copies, stutter, record);
    return std::move(genotype.record);
}

}  // namespace

std::vector<ForcedSite> ForcedCaller::begin(const CallContext& context, const ForcedAlleles& forced,
                                            WindowAlleles& window, RegionBuilder& regions,
                                            kernels::PairHmmBatch& jobs, std::vector<data::Base>& arena) {
    std::vector<ForcedSite> sites;
    const uint32_t contig = window.window.contig;
    std::span<const Allele> alleles = forced.within(contig, window.window.begin, window.window.end);
    while (!alleles.empty()) {
        const std::span<const Allele> of_site = first_site(alleles);
        alleles = alleles.subspan(of_site.size());
        const int64_t position = of_site[0].record_position();
        const uint8_t ploidy = context.ploidy.at(contig, position);
        if (ploidy == 0 || !context.is_in_targets(window.window, position)) continue;
        ForcedSite& site = sites.emplace_back();
        site.ploidy = ploidy;
        site.alleles = of_site;
        site.copies = window.extra_copy.at(position);
        if (!of_site[0].is_indel()) {
            add_snvs(context, forced, window, site);
            continue;
        }
        ForcedRegion built = build_region(context, forced, site, true, window, regions, jobs);
        // Where the candidates beside them leave no haplotype to the forced alleles, these stand alone.
        if (!built.has_alleles) built = build_region(context, forced, site, false, window, regions, jobs);
        if (built.region && built.has_alleles)
            site.region = region_call_of(window, *std::move(built.region), jobs, context.sample.gaps, arena);
    }
    return sites;
}

/// The evidence of a site from the likelihoods of its region. False: there is none.
bool ForcedCaller::load_evidence(const CallContext& context, const ForcedAlleles& forced,
                                 std::span<const int32_t> likelihoods, const std::vector<data::Base>& arena,
                                 ForcedSite& site) {
    if (!site.alleles[0].is_indel()) return site.evidence.fragments > 0;
    if (!site.region) return false;
    const RegionCase region = region_case_of(*site.region, likelihoods, context.sample.contamination);
    genotyper_.load(region);
    for (const RegionSite& of_region : genotyper_.sites()) {
        site.place.assign(site.alleles.size(), 0);
        site.stutter_per_million.assign(site.alleles.size(), 0);
        size_t found = 0;
        for (size_t i = 0; i < of_region.alleles.size(); ++i) {
            const Allele& allele = region.alleles[of_region.alleles[i]];
            for (size_t f = 0; f < site.alleles.size(); ++f) {
                const Allele& wanted = site.alleles[f];
                if (allele.position != wanted.position ||
                    allele.reference_length != wanted.reference_length ||
                    !std::ranges::equal(bases_of(allele, arena), bases_of(wanted, forced.arena())))
                    continue;
                site.place[f] = i + 1;
                site.stutter_per_million[f] = site.region->stutter_per_million[of_region.alleles[i]];
                ++found;
            }
        }
        if (found != site.alleles.size()) continue;
        genotyper_.evidence_of(of_region, site.ploidy, site.evidence);
        return site.evidence.fragments > 0;
    }
    return false;
}

void ForcedCaller::finish(const CallContext& context, const ForcedAlleles& forced, const data::Region& window,
                          std::span<const int32_t> likelihoods, const std::vector<data::Base>& arena,
                          std::span<ForcedSite> sites, size_t first, std::vector<data::Variant>& out) {
    const size_t discovered = out.size();
    for (ForcedSite& site : sites) {
        const int64_t position = site.alleles[0].record_position();
        const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = out.begin() + static_cast<std::ptrdiff_t>(discovered);
        const auto record =
            std::partition_point(begin, end, [&](const data::Variant& v) { return v.position < position; });
        std::vector<size_t> kept;  // alleles without a record
        for (size_t f = 0; f < site.alleles.size(); ++f) {
            bool is_there = false;
            for (auto v = record; v != end && v->position == position; ++v)
                is_there |= has_allele(*v, site.alleles[f], forced.arena());
            if (!is_there) kept.push_back(f);
        }
        if (kept.empty() || !load_evidence(context, forced, likelihoods, arena, site)) continue;
        out.push_back(record_of(context, forced, window.contig, site, kept));
    }
    std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                     [](const data::Variant& a, const data::Variant& b) { return a.position < b.position; });
}

}  // namespace gannet::variants
