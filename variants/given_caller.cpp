// SPDX-License-Identifier: MIT
// Provides the regions and the evidence of given alleles.
#include "variants/given_caller.hpp"

#include "variants/records/filters.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace gannet::variants {

namespace {

constexpr uint32_t k_given_support = 1u << 30;  // more than any: a given allele is never left out

GivenSite& next_site(CallWork::State& state) {
    if (state.given_sites.size() == state.given_count) state.given_sites.emplace_back();
    GivenSite& site = state.given_sites[state.given_count++];
    site.filters = 0;
    site.has_task = false;
    site.place.clear();
    return site;
}

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

}  // namespace

void GivenCaller::begin_window(RegionCaller& regions, uint32_t index) {
    const WindowState& window = regions.window();
    const uint32_t contig = window.window.contig;
    std::span<const Allele> alleles = given_.within(contig, window.window.begin, window.window.end);
    while (!alleles.empty()) {
        const std::span<const Allele> of_site = first_site(alleles);
        alleles = alleles.subspan(of_site.size());
        const int64_t position = of_site[0].record_position();
        const uint8_t ploidy = context_.ploidy.at(contig, position);
        if (ploidy == 0 || (!context_.targets.empty() && !context_.targets.contains(contig, position)))
            continue;
        GivenSite& site = next_site(context_.state());
        site.window = index;
        site.ploidy = ploidy;
        site.alleles = of_site;
        site.filters = window.extra_copy.at(position);
        if (of_site[0].is_indel())
            add_indels(regions, site);
        else
            add_snvs(window, site);
    }
}

void GivenCaller::add_snvs(const WindowState& window, GivenSite& site) {
    const int64_t position = site.alleles[0].position;
    std::array<data::Base, k_max_pile_up_alleles> bases{window.slice.at(position)};
    size_t count = 1;
    const auto add = [&](data::Base base) {
        const auto end = bases.begin() + static_cast<std::ptrdiff_t>(count);
        if (count < bases.size() && std::find(bases.begin(), end, base) == end) bases[count++] = base;
    };
    for (const Allele& allele : site.alleles) {
        add(given_.arena()[allele.alternate]);
        site.place.push_back(count - 1);
    }
    const auto candidate = std::partition_point(window.candidates.begin(), window.candidates.end(),
                                                [&](const Candidate& c) { return c.begin < position; });
    for (auto c = candidate; c != window.candidates.end() && c->begin == position; ++c) {
        if (c->kind == CandidateKind::snp) add(window.evidence.arena[c->allele.alternate]);
    }
    pile_up(window.reads, position, std::span(bases).first(count), site.ploidy,
            context_.parameters.minimum_base_quality, context_.sample.contamination, site.evidence);
}

void GivenCaller::add_indels(RegionCaller& regions, GivenSite& site) {
    // Where the candidates beside them leave no haplotype to the given alleles, these stand alone.
    if (!add_region(regions, site, true)) add_region(regions, site, false);
}

/// False: no haplotype has one of the alleles.
bool GivenCaller::add_region(RegionCaller& regions, GivenSite& site, bool with_candidates) {
    WindowState& window = regions.window();
    Evidence& evidence = window.evidence;
    std::vector<Candidate>& candidates = context_.state().given_candidates;
    candidates.clear();
    ActiveRegion region{site.alleles[0].record_position(), 0, 0, 0, false, false};
    for (const Allele& given : site.alleles) {
        Candidate candidate{region.begin, 0, CandidateKind::indel, given, k_given_support};
        find_events(evidence, given, given_.arena(), candidate);
        const auto bases = bases_of(given, given_.arena());
        candidate.allele.alternate = static_cast<uint32_t>(evidence.arena.size());
        evidence.arena.insert(evidence.arena.end(), bases.begin(), bases.end());
        const int64_t shift_bp = rightward_shift_bp(window.slice, candidate.allele, evidence.arena);
        candidate.end = evidence.end_of_candidate(candidate.allele, shift_bp);
        region.end = std::max(region.end, candidate.end);
        candidates.push_back(candidate);
    }
    const size_t own = candidates.size();
    for (const Candidate& candidate : window.candidates) {
        if (!with_candidates || candidate.begin >= region.end) break;
        if (candidate.kind == CandidateKind::clip || candidate.end <= region.begin) continue;
        const bool is_given =
            std::any_of(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(own),
                        [&](const Candidate& g) {
                            return compare_alleles(g.allele, candidate.allele, evidence.arena) == 0;
                        });
        if (!is_given) candidates.push_back(candidate);
    }
    for (const Candidate& candidate : candidates) {
        region.begin = std::min(region.begin, candidate.begin);
        region.end = std::max(region.end, candidate.end);
    }
    region.last = static_cast<uint32_t>(candidates.size());
    RegionTask task;
    task.window = site.window;
    if (!regions.make_task(region, candidates, task)) return true;  // no reads
    const RegionHaplotypes& made = context_.state().region_haplotypes;
    for (size_t i = 0; i < own; ++i) {
        const bool is_carried =
            std::any_of(made.haplotypes.begin(), made.haplotypes.end(), [&](AlleleSet set) {
                for (size_t a = 0; a < made.alleles.size(); ++a) {
                    if ((set >> a & 1) != 0 &&
                        compare_alleles(made.alleles[a], candidates[i].allele, evidence.arena) == 0)
                        return true;
                }
                return false;
            });
        if (!is_carried) return false;
    }
    site.task = task;
    site.has_task = true;
    return true;
}

/// The evidence of a site from the likelihoods of its region. False: there is none.
bool GivenCaller::load_evidence(GivenSite& site) {
    if (!site.alleles[0].is_indel()) return site.evidence.fragments > 0;
    if (!site.has_task) return false;
    CallWork::State& s = context_.state();
    const RegionCase region = context_.region_of(site.task);
    s.genotyper.load(region);
    for (const RegionSite& of_region : s.genotyper.sites()) {
        site.place.assign(site.alleles.size(), 0);
        size_t found = 0;
        for (size_t i = 0; i < of_region.alleles.size(); ++i) {
            const Allele& allele = region.alleles[of_region.alleles[i]];
            for (size_t g = 0; g < site.alleles.size(); ++g) {
                const Allele& given = site.alleles[g];
                if (allele.position != given.position || allele.reference_length != given.reference_length ||
                    !std::ranges::equal(bases_of(allele, s.arena), bases_of(given, given_.arena())))
                    continue;
                site.place[g] = i + 1;
                ++found;
            }
        }
        if (found != site.alleles.size()) continue;
        s.genotyper.evidence_of(of_region, site.ploidy, site.evidence);
        return site.evidence.fragments > 0;
    }
    return false;
}

/// The evidence of the alleles that have no record (`kept_`): all others count as the reference.
void GivenCaller::collapse(const GivenSite& site) {
    const SiteEvidence& all = site.evidence;
    evidence_.reset(kept_.size() + 1, all.ploidy);
    evidence_.squared_mapping_quality = all.squared_mapping_quality;
    evidence_.fragments = all.fragments;
    evidence_.strands[0] = all.strands[0];
    std::vector<size_t> number(all.alleles, 0);
    for (size_t i = 0; i < kept_.size(); ++i) {
        const size_t place = site.place[kept_[i]];
        number[place] = i + 1;
        evidence_.priors[i + 1] = all.priors[place];
        evidence_.strands[i + 1] = all.strands[place];
    }
    constexpr int64_t k_never = std::numeric_limits<int64_t>::min() / 8;
    std::fill(evidence_.genotypes.begin(), evidence_.genotypes.end(), k_never);
    for_each_genotype(all.alleles, all.ploidy, [&](const Genotype& genotype) {
        Genotype seen = genotype;
        for (size_t i = 0; i < seen.ploidy; ++i) seen.alleles[i] = number[seen.alleles[i]];
        seen.sort();
        int64_t& best = evidence_.genotypes[genotype_index(seen)];
        best = std::max(best, all.genotypes[genotype_index(genotype)]);
    });
}

void GivenCaller::write(const GivenSite& site, std::vector<data::Variant>& out) {
    data::Variant variant;
    genotype_site(evidence_, variant);
    variant.depth = site.evidence.fragments;
    write_alleles(context_.reference, context_.state().grid_windows[site.window].contig, lacking_,
                  given_.arena(), variant);
    if (variant.genotype[0] == 0 && (variant.ploidy == 1 || variant.genotype[1] == 0)) {
        variant.filters = data::k_filter_not_applied;
    } else {
        variant.filters = filters_of(context_.parameters, context_.statistics_of(variant), site.filters);
    }
    out.push_back(std::move(variant));
}

void GivenCaller::finish(std::vector<data::Variant>& out, size_t first) {
    CallWork::State& s = context_.state();
    const size_t discovered = out.size();
    for (size_t i = 0; i < s.given_count; ++i) {
        GivenSite& site = s.given_sites[i];
        const uint32_t contig = s.grid_windows[site.window].contig;
        const int64_t position = site.alleles[0].record_position();
        const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = out.begin() + static_cast<std::ptrdiff_t>(discovered);
        const auto record = std::partition_point(begin, end, [&](const data::Variant& v) {
            return v.contig != contig ? v.contig < contig : v.position < position;
        });
        kept_.clear();
        lacking_.clear();
        for (size_t g = 0; g < site.alleles.size(); ++g) {
            bool is_there = false;
            for (auto v = record; v != end && v->contig == contig && v->position == position; ++v)
                is_there |= has_allele(*v, site.alleles[g], given_.arena());
            if (is_there) continue;
            kept_.push_back(g);
            lacking_.push_back(site.alleles[g]);
        }
        if (kept_.empty() || !load_evidence(site)) continue;
        collapse(site);
        write(site, out);
    }
    std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                     [](const data::Variant& a, const data::Variant& b) {
                         return a.contig != b.contig ? a.contig < b.contig : a.position < b.position;
                     });
}

}  // namespace gannet::variants
