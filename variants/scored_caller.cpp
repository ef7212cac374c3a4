// SPDX-License-Identifier: MIT
// Provides calling with the network.
#include "variants/scored_caller.hpp"

#include "variants/filters.hpp"
#include "variants/quality_caps.hpp"

#include <algorithm>
#include <utility>

namespace gannet::variants {

namespace {

/// With fewer fragments the network decides whether the allele is present, and the caller's likelihoods
/// whether it is heterozygous or homozygous.
constexpr int32_t k_min_zygosity_fragments = 10;
/// Log10 odds, x 65536, for an allele that the caller calls and does not filter, and against any other: false
/// candidates are rarer in genomes than in the training data of networks.
constexpr int32_t k_caller_weight = k_log_scale;

/// Of a class that the ploidy excludes.
constexpr int32_t k_excluded_score = -1000 * k_log_scale;

/// The caller by itself would not call the allele, or would filter it for more than its quality.
bool is_doubted(const ScoredAllele& candidate) {
    return candidate.statistics.copies == 0 ||
           (candidate.filters & ~uint32_t{data::k_filter_low_quality}) != 0;
}

}  // namespace

void ScoredCaller::add_pile_up_candidates(uint32_t window, std::span<const Allele> alleles,
                                          uint32_t region_filters) {
    add_candidates(window, alleles, region_filters, {}, nullptr, true);
}

void ScoredCaller::add_region_candidates(const RegionTask& task) {
    context_.for_each_site(task, [&](const RegionSiteView& view) {
        SiteLikelihoods likelihoods{
            view.region.rows, view.region.likelihoods, view.region.haplotypes, 0, task.alleles, task.begin,
            task.end};
        add_candidates(task.window, context_.state().site_alleles, task.filters, view.site.alleles,
                       &likelihoods, view.is_of_window);
    });
}

void ScoredCaller::add_candidates(uint32_t window_index, std::span<const Allele> alleles,
                                  uint32_t region_filters, std::span<const uint32_t> region_alleles,
                                  SiteLikelihoods* region, bool is_of_window) {
    CallWork::State& s = context_.state();
    WindowState& window = *s.windows[window_index];
    const ScoringParameters& scoring = context_.scoring;
    s.called_alleles.clear();
    for (size_t i = 1; i < s.site.alleles; ++i) {
        const auto posterior = copies_posterior(s.site, i);
        if (log_add(posterior[1], posterior[2]) >= scoring.minimum_presence) s.called_alleles.push_back(i);
    }
    if (s.called_alleles.empty()) {
        context_.note_doubt(window_index, alleles.front().record_position(), s.site);
        return;
    }
    if (s.sites.size() == s.site_count) s.sites.emplace_back();
    ScoredSite& site = s.sites[s.site_count++];
    site.window = window_index;
    site.is_of_window = is_of_window;
    site.evidence = s.site;
    site.alleles.assign(alleles.begin(), alleles.end());
    site.scored = s.called_alleles;
    site.candidates.clear();
    for (const size_t index : site.scored) {
        AlleleStatistics statistics = statistics_of(site.evidence, index, alleles[index - 1].is_indel());
        statistics.site.deleted_bp = std::max(0, -alleles[index - 1].size_change());
        site.candidates.push_back(
            {statistics, filters_of(context_.parameters, statistics.site, region_filters)});
    }
    site.first_example = static_cast<uint32_t>(context_.work.examples.size());
    site.settled = scoring.settle_phred > 0 && region_filters == 0 &&
                   is_plain(window, site.candidates.front().statistics, alleles.front().record_position(),
                            scoring.settle_phred);
    if (site.settled) return;
    for (const ScoredAllele& candidate : site.candidates) {
        const size_t index = candidate.statistics.index - 1;
        if (region != nullptr) region->allele = region_alleles[index];
        s.examples.add(
            context_.parameters, window,
            {candidate.statistics, candidate.filters, alleles[index], s.arena, region, window.window.contig},
            context_.work);
    }
}

/// log10 P(copy class), x 65536, normalised. Classes that the ploidy excludes keep no probability, whatever
/// the network says of them.
std::array<int32_t, 3> ScoredCaller::score(const ScoredSite& site, size_t candidate) const {
    const ScoredAllele& allele = site.candidates[candidate];
    const std::array<int32_t, 3>& posterior = allele.statistics.posterior;
    std::array<int32_t, 3> score = posterior;
    score[0] += is_doubted(allele) ? k_caller_weight : -k_caller_weight;
    const size_t example = site.first_example + candidate;
    for (size_t c = 0; c < score.size(); ++c)
        score[c] += context_.work.corrections[example * score.size() + c];
    const size_t step = copy_class(1, site.evidence.ploidy);
    for (size_t c = 0; c < score.size(); ++c) {
        if (c % step != 0) score[c] = k_excluded_score;
    }
    if (site.evidence.fragments < k_min_zygosity_fragments) {
        const int32_t gain = log_add(score[1], score[2]) - log_add(posterior[1], posterior[2]);
        for (size_t c = step; c < score.size(); c += step) score[c] = posterior[c] + gain;
    }
    const int32_t total = log_add(log_add(score[0], score[1]), score[2]);
    for (int32_t& value : score) value -= total;
    return score;
}

void ScoredCaller::genotype(const ScoredSite& site) {
    CallWork::State& s = context_.state();
    data::Variant out;
    bool is_called = false;
    if (site.settled) {
        is_called = call_site(site.evidence, k_min_written_quality_centi, out, s.called_alleles);
    } else {
        s.scores.clear();
        for (size_t i = 0; i < site.candidates.size(); ++i) s.scores.push_back(score(site, i));
        is_called = call_scored_site(site.evidence, site.scored, s.scores, k_min_written_quality_centi, out,
                                     s.called_alleles);
    }
    if (!is_called) {
        context_.note_doubt(site.window, site.alleles.front().record_position(), site.evidence);
        return;
    }
    out.contig = s.grid_windows[site.window].contig;
    context_.write_alleles(site.alleles, out);
    if (!site.is_of_window) {
        context_.note_record(site.window, out);
        return;
    }
    if (out.quality_centi < context_.scoring.minimum_quality_centi) out.filters |= data::k_filter_low_quality;
    // The caller's own genotype has the caller's limits.
    if (site.settled) cap_qualities(statistics_of(out), context_.parameters.minimum_quality_centi, out);
    context_.add_call(std::move(out), site.window, site.evidence);
}

}  // namespace gannet::variants
