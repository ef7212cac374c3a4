// SPDX-License-Identifier: MIT
// Provides calling with the network.
#include "variants/scorer/site_scorer.hpp"

#include "variants/records/filters.hpp"
#include "variants/records/quality_caps.hpp"
#include "variants/scorer/corrected_evidence.hpp"
#include "variants/scorer/example_builder.hpp"
#include "variants/scorer/site_context.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace gannet::variants {

namespace {

template <class T>
T capped(int64_t value) {
    return static_cast<T>(std::min<int64_t>(value, std::numeric_limits<T>::max()));
}

AlleleStatistics statistics_of_allele(const CallModel& model, const ScoredWindow& window,
                                      const SiteCall& site, size_t index) {
    const Allele& allele = site.alleles[index - 1];
    AlleleStatistics statistics = statistics_of(site.evidence, index, allele.is_indel());
    statistics.site.deleted_bp = std::max(0, -allele.size_change());
    statistics.site.read_bp = model.sample.read_bp;
    statistics.site.own_copies = site.place.own;
    if (!allele.is_indel()) {
        const uint32_t contig = window.alleles.window.contig;
        weigh_systematic_error(model, contig, allele.position, bases_of(allele, window.arena).front(),
                               statistics.site);
        weigh_foreign_reads(model, contig, allele.position, statistics.site);
    }
    weigh_extra_copies(model, window.alleles.window.contig, allele.record_position(), site.place.filters,
                       statistics.site);
    if (!site.stutter_per_million.empty())
        statistics.site.stutter_per_million = site.stutter_per_million[index - 1];
    return statistics;
}

ml::ExampleFacts facts_of_allele(const CallModel& model, const ScoredWindow& window, const SiteCall& site,
                                 const AlleleStatistics& statistics) {
    const Allele& allele = site.alleles[statistics.index - 1];
    const uint32_t filters = filters_of(model.parameters, statistics.site, site.place.filters);
    ml::ExampleFacts facts;
    facts.kind = kind_of(allele);
    facts.base = base_of(statistics.posterior, filters);
    facts.fragments = capped<uint16_t>(site.evidence.fragments);
    facts.filters = static_cast<uint8_t>(filters);
    facts.context =
        static_cast<uint8_t>(context_of(window.alleles, allele, window.arena, site.place.filters));
    facts.copies = static_cast<uint8_t>(statistics.copies);
    facts.quality_cap = capped<uint8_t>(quality_caps(statistics.site).quality);
    facts.is_haploid = site.evidence.ploidy == 1;
    facts.is_spanned = site.evidence.has_spanning_deletion;
    if (site.place.filters == 0)
        facts.plain_phred =
            capped<uint16_t>(plain_phred(window.alleles, statistics, allele.record_position()));
    return facts;
}

/// The alleles that are probable enough.
std::vector<ScoredAllele> candidates_of(const CallModel& model, const ml::Decision& decision,
                                        const ScoredWindow& window, const SiteCall& site) {
    std::vector<ScoredAllele> candidates;
    for (size_t i = 1; i < site.evidence.alleles; ++i) {
        if (site.evidence.is_spanning(i)) continue;
        const auto posterior = copies_posterior(site.evidence, i);
        if (log_add(posterior[1], posterior[2]) < decision.minimum_presence) continue;
        ScoredAllele& candidate = candidates.emplace_back();
        candidate.statistics = statistics_of_allele(model, window, site, i);
        candidate.facts = facts_of_allele(model, window, site, candidate.statistics);
    }
    return candidates;
}

/// Whether the network may change what is said of the allele.
bool has_stratum(const ml::Decision& decision, const ml::ExampleFacts& facts) {
    const ml::Stratum* const stratum = stratum_of(decision, facts);
    return stratum != nullptr && stratum->direction != ml::Direction::none;
}

/// Whether the site waits for the network.
Asked whether_asked(const CallModel& model, const ScoringParameters& scoring, const SiteCall& site,
                    std::span<const ScoredAllele> candidates) {
    if (candidates.empty()) return Asked::no_candidate;
    if (scoring.examples_only) return Asked::yes;
    const bool may_change = std::any_of(
        candidates.begin(), candidates.end(),
        [&](const ScoredAllele& candidate) { return has_stratum(scoring.decision, candidate.facts); });
    if (!may_change) return Asked::no_stratum;
    if (!model.sample.is_measured) return Asked::not_measured;
    if (model.sample.read_bp > k_max_scored_read_bp) return Asked::long_reads;
    if (model.sample.has_improper_pairs) return Asked::improper_pairs;
    const bool passes = site.genotype && site.genotype->record.filters == 0;
    return passes && candidates.size() == 1 && is_settled(scoring.decision, candidates.front().facts)
               ? Asked::settled
               : Asked::yes;
}

/// The evidence with the network's corrections, those of all alleles of the site together; empty if it has
/// none for any.
std::optional<SiteEvidence> corrected(const ml::Decision& decision, ScoredSite& scored,
                                      std::span<const int32_t> corrections) {
    const SiteEvidence& evidence = scored.site.evidence;
    std::vector<CopyChange> changes(evidence.alleles);
    bool has_correction = false;
    for (size_t i = 0; i < scored.candidates.size(); ++i) {
        ScoredAllele& candidate = scored.candidates[i];
        const int32_t* const raw = corrections.data() + (scored.first_example + i) * k_copy_classes;
        const CopyLogs correction = correction_of(decision, candidate.facts, {raw[0], raw[1], raw[2]});
        candidate.correction = correction;
        has_correction |= correction != CopyLogs{};
        // What the filters take from the posterior belongs to the base of every candidate.
        CopyChange& change = changes[candidate.statistics.index];
        for (size_t c = 0; c < change.size(); ++c)
            change[c] = candidate.facts.base[c] - candidate.statistics.posterior[c] + correction[c];
    }
    if (!has_correction) {
        for (ScoredAllele& candidate : scored.candidates)
            candidate.corrected = candidate.statistics.posterior;
        return std::nullopt;
    }
    SiteEvidence out;
    correct_evidence(evidence, changes, out);
    for (ScoredAllele& candidate : scored.candidates)
        candidate.corrected = copies_posterior(out, candidate.statistics.index);
    return out;
}

/// Appends the examples of the candidates.
void add_examples(const CallModel& model, const ScoredWindow& window, const ScoredRegion* region,
                  ScoredSite& scored, ExampleBatch& out) {
    SiteLikelihoods likelihoods;
    if (region != nullptr) {
        const RegionCall& call = region->region;
        likelihoods = {call.rows, region->likelihoods.subspan(call.first_pair), call.haplotypes, 0,
                       0,         static_cast<uint32_t>(call.alleles.size()),   call.begin,      call.end};
        for (const uint32_t allele : scored.site.region_alleles)
            likelihoods.site_alleles |= AlleleSet{1} << allele;
    }
    for (const ScoredAllele& candidate : scored.candidates) {
        const size_t index = candidate.statistics.index - 1;
        if (region != nullptr) likelihoods.allele = scored.site.region_alleles[index];
        add_example(model.parameters, window.alleles, window.profiles,
                    {candidate.statistics, candidate.facts, scored.site.alleles[index], window.arena,
                     model.sample, region != nullptr ? &likelihoods : nullptr, window.alleles.window.contig},
                    out);
    }
}

}  // namespace

ScoredSite ask_network(const CallModel& model, const ScoringParameters& scoring, const ScoredWindow& window,
                       const ScoredRegion* region, SiteCall&& site, ExampleBatch& out) {
    ScoredSite scored;
    scored.candidates = candidates_of(model, scoring.decision, window, site);
    scored.asked = whether_asked(model, scoring, site, scored.candidates);
    scored.site = std::move(site);
    if (scored.asked != Asked::yes) return scored;
    scored.first_example = static_cast<uint32_t>(out.size());
    add_examples(model, window, region, scored, out);
    return scored;
}

const ml::Stratum* stratum_of(const ml::Decision& decision, const ml::ExampleFacts& allele) {
    return decision.find(allele.kind != 0, allele.fragments, static_cast<ml::Context>(allele.context));
}

SiteCall decide(const CallModel& model, const ml::Decision& decision, ScoredSite& scored,
                std::span<const int32_t> corrections, uint32_t contig, const std::vector<data::Base>& arena) {
    const int32_t threshold = model.parameters.minimum_quality_centi;
    std::optional<SiteEvidence> evidence = corrected(decision, scored, corrections);
    SiteCall site = std::move(scored.site);
    if (!evidence) return site;
    std::optional<SiteGenotype> genotype = call_site(*evidence, k_min_written_quality_centi);
    const bool caller_passes = site.genotype && site.genotype->record.filters == 0;
    const bool network_passes = genotype && genotype->record.quality_centi >= threshold;
    scored.decided = caller_passes || network_passes ? Decided::with_network : Decided::neither;
    if (scored.decided == Decided::neither) return site;
    const std::optional<SiteGenotype> of_caller = std::exchange(site.genotype, std::move(genotype));
    if (!site.genotype) {
        site.evidence = *std::move(evidence);
        return site;
    }
    data::Variant& record = site.genotype->record;
    write_alleles(model.reference, contig, site.alleles, arena, site.genotype->alleles, record);
    finish_record(model, DecidedBy::network, site.place, stutter_of_call(site), record);
    // QD stays that of the reads alone: the network speaks of posteriors of at most Phred 60, and 60 over a
    // depth of 30 is what recipes for QD take for an artefact.
    if (of_caller) record.uncapped_quality_centi = of_caller->record.uncapped_quality_centi;
    return site;
}

}  // namespace gannet::variants
