// SPDX-License-Identifier: MIT
// Provides calling with the network.
#include "variants/scored_caller.hpp"

#include "variants/records/filters.hpp"
#include "variants/records/quality_caps.hpp"
#include "variants/scorer/corrected_evidence.hpp"
#include "variants/scorer/decision.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gannet::variants {

namespace {

template <class T>
T capped(int64_t value) {
    return static_cast<T>(std::min<int64_t>(value, std::numeric_limits<T>::max()));
}

}  // namespace

/// The alleles that are probable enough; false if there is none that the network may speak of.
bool ScoredCaller::add_candidates(const DecidedSite& decided, ScoredSite& site) {
    const WindowState& window = *context_.state().windows[decided.window];
    const ml::Decision& decision = context_.scoring.decision;
    const SiteEvidence& evidence = *decided.evidence;
    bool is_heard = false;
    site.candidates.clear();
    for (size_t i = 1; i < evidence.alleles; ++i) {
        if (evidence.is_spanning(i)) continue;
        const auto posterior = copies_posterior(evidence, i);
        if (log_add(posterior[1], posterior[2]) < decision.minimum_presence) continue;
        const Allele& allele = decided.alleles[i - 1];
        ScoredAllele candidate;
        candidate.statistics = statistics_of(evidence, i, allele.is_indel());
        AlleleStatistics& statistics = candidate.statistics;
        statistics.site.deleted_bp = std::max(0, -allele.size_change());
        if (!allele.is_indel())
            context_.weigh_systematic_error(window.window.contig, allele.position,
                                            bases_of(allele, context_.state().arena).front(),
                                            statistics.site);
        if (decided.region != nullptr) {
            const RegionSiteView& view = *decided.region;
            statistics.site.stutter_per_million =
                context_.state().stutter_per_million[view.task.first_allele + view.site.alleles[i - 1]];
        }
        const uint32_t filters = filters_of(context_.parameters, statistics.site, decided.region_filters);
        ml::ExampleFacts& facts = candidate.facts;
        facts.kind = kind_of(allele);
        facts.base = base_of(statistics.posterior, filters);
        facts.fragments = capped<uint16_t>(evidence.fragments);
        facts.filters = static_cast<uint8_t>(filters);
        facts.context =
            static_cast<uint8_t>(context_of(window, allele, context_.state().arena, decided.region_filters));
        facts.copies = static_cast<uint8_t>(statistics.copies);
        facts.quality_cap = capped<uint8_t>(quality_caps(statistics.site).quality);
        facts.is_haploid = evidence.ploidy == 1;
        facts.is_spanned = evidence.has_spanning_deletion;
        if (decided.region_filters == 0)
            facts.plain_phred = capped<uint16_t>(plain_phred(window, statistics, allele.record_position()));
        const ml::Stratum* const stratum =
            decision.find(facts.kind != 0, facts.fragments, static_cast<ml::Context>(facts.context));
        is_heard |= stratum != nullptr && stratum->direction != ml::Direction::none;
        site.candidates.push_back(candidate);
    }
    return is_heard || (context_.scoring.examples_only && !site.candidates.empty());
}

bool ScoredCaller::take(const DecidedSite& decided) {
    CallWork::State& s = context_.state();
    if (s.sites.size() == s.site_count) s.sites.emplace_back();
    ScoredSite& site = s.sites[s.site_count];
    if (!add_candidates(decided, site)) return false;
    if (!context_.scoring.examples_only && !context_.sample.is_measured) return false;
    const bool is_called = decided.variant != nullptr && decided.variant->filters == 0;
    if (!context_.scoring.examples_only && is_called && site.candidates.size() == 1 &&
        is_settled(context_.scoring.decision, site.candidates.front().facts))
        return false;
    ++s.site_count;
    site.window = decided.window;
    site.is_of_window = decided.is_of_window;
    site.evidence = *decided.evidence;
    site.alleles.assign(decided.alleles.begin(), decided.alleles.end());
    site.is_called = decided.variant != nullptr;
    if (site.is_called) {
        site.variant = *decided.variant;
        site.called_alleles = s.called_alleles;
    }
    add_examples(decided, site);
    return true;
}

void ScoredCaller::add_examples(const DecidedSite& decided, ScoredSite& site) {
    CallWork::State& s = context_.state();
    WindowState& window = *s.windows[site.window];
    SiteLikelihoods region;
    if (decided.region != nullptr) {
        const RegionCase& all = decided.region->region;
        const RegionTask& task = decided.region->task;
        region = {all.rows, all.likelihoods, all.haplotypes, 0, 0, task.alleles, task.begin, task.end};
        for (const uint32_t allele : decided.region->site.alleles)
            region.site_alleles |= AlleleSet{1} << allele;
    }
    site.first_example = static_cast<uint32_t>(context_.work.examples.size());
    for (const ScoredAllele& candidate : site.candidates) {
        const size_t index = candidate.statistics.index - 1;
        if (decided.region != nullptr) region.allele = decided.region->site.alleles[index];
        s.examples.add(context_.parameters, window,
                       {candidate.statistics, candidate.facts, site.alleles[index], s.arena, context_.sample,
                        decided.region != nullptr ? &region : nullptr, window.window.contig},
                       context_.work);
    }
}

/// Puts the evidence with the network's corrections into `state().site`; false if it has none for any allele.
/// The alleles of the site are corrected together.
bool ScoredCaller::correct(const ScoredSite& site) {
    CallWork::State& s = context_.state();
    s.scores.assign(site.evidence.alleles, {});
    bool is_heard = false;
    for (size_t i = 0; i < site.candidates.size(); ++i) {
        const ScoredAllele& candidate = site.candidates[i];
        const int32_t* const raw =
            context_.work.corrections.data() + (site.first_example + i) * k_copy_classes;
        const CopyLogs correction =
            correction_of(context_.scoring.decision, candidate.facts, {raw[0], raw[1], raw[2]});
        is_heard |= correction != CopyLogs{};
        // What the filters take from the posterior belongs to the base of every candidate.
        auto& change = s.scores[candidate.statistics.index];
        for (size_t c = 0; c < change.size(); ++c)
            change[c] = candidate.facts.base[c] - candidate.statistics.posterior[c] + correction[c];
    }
    if (is_heard) correct_evidence(site.evidence, s.scores, s.site);
    return is_heard;
}

void ScoredCaller::add(const ScoredSite& site, data::Variant&& variant, const SiteEvidence& evidence) {
    if (site.is_of_window)
        context_.add_call(std::move(variant), site.window, evidence);
    else
        context_.note_record(site.window, variant);
}

/// The caller's call stands where the network is silent, and where neither of both passes. Otherwise what
/// follows from the corrected evidence is called.
void ScoredCaller::genotype(const ScoredSite& site) {
    CallWork::State& s = context_.state();
    data::Variant variant;
    const int32_t threshold = context_.parameters.minimum_quality_centi;
    const bool is_heard = correct(site);
    const bool is_called =
        is_heard && call_site(s.site, k_min_written_quality_centi, variant, s.called_alleles);
    const bool both_fail =
        !(site.is_called && site.variant.filters == 0) && !(is_called && variant.quality_centi >= threshold);
    if (!is_heard || both_fail) {
        if (site.is_called) {
            s.called_alleles = site.called_alleles;
            add(site, data::Variant(site.variant), site.evidence);
        } else {
            context_.note_doubt(site.window, site.alleles.front().record_position(), site.evidence);
        }
        return;
    }
    if (!is_called) {
        context_.note_doubt(site.window, site.alleles.front().record_position(), s.site);
        return;
    }
    variant.contig = s.grid_windows[site.window].contig;
    context_.write_alleles(site.alleles, variant);
    if (variant.quality_centi < threshold) variant.filters = data::k_filter_low_quality;
    SiteStatistics statistics = context_.statistics_of(variant);
    for (const ScoredAllele& candidate : site.candidates) {
        const size_t index = candidate.statistics.index;
        if (std::find(s.called_alleles.begin(), s.called_alleles.end(), index) != s.called_alleles.end())
            statistics.stutter_per_million =
                std::max(statistics.stutter_per_million, candidate.statistics.site.stutter_per_million);
    }
    cap_qualities(statistics, threshold, variant);
    // QD stays that of the reads alone: the network speaks of posteriors of at most Phred 60, and 60 over a
    // depth of 30 is what recipes for QD take for an artefact.
    if (site.is_called) variant.uncapped_quality_centi = site.variant.uncapped_quality_centi;
    add(site, std::move(variant), site.evidence);
}

}  // namespace gannet::variants
