// SPDX-License-Identifier: MIT
// Provides genotyping of a site.
#include "variants/cohort/site_caller.hpp"

#include "variants/arithmetic/probability.hpp"
#include "variants/cohort/genotypes.hpp"
#include "variants/model/cohort.hpp"

#include <algorithm>

namespace gannet::variants::cohort {
namespace {

constexpr double k_micro_unit = 1e6;
constexpr double k_pseudo_reference =
    static_cast<double>(cohort_number("pseudo_reference_micro")) / k_micro_unit;
constexpr double k_pseudo_substitution =
    static_cast<double>(cohort_number("pseudo_substitution_micro")) / k_micro_unit;
constexpr double k_pseudo_indel = static_cast<double>(cohort_number("pseudo_indel_micro")) / k_micro_unit;
constexpr int64_t k_centi = 100;
constexpr double k_half = 0.5;

}  // namespace

void SiteCaller::project_all(const std::vector<SampleWindow>& samples, const Site& site,
                             data::CohortRecord& out) {
    out.samples.resize(samples.size());
    informed_.assign(samples.size(), false);
    for (size_t i = 0; i < samples.size(); ++i) {
        project(samples[i], site, projection_);
        data::CohortSample& sample = out.samples[i];
        sample.ploidy = projection_.ploidy;
        sample.genotype = {-1, -1};
        sample.phased = false;
        sample.genotype_quality = -1;
        sample.depth = projection_.depth;
        sample.depths = projection_.depths;
        sample.phred = projection_.phred;
        informed_[i] = projection_.is_informed;
    }
}

void SiteCaller::estimate(const Site& site, const data::CohortRecord& out) {
    const double pseudo = site.kind == EventKind::substitution ? k_pseudo_substitution : k_pseudo_indel;
    std::vector<double> counts(site.allele_count(), pseudo);
    counts[0] = k_pseudo_reference;
    if (site.has_spanning) counts[site.spanning_allele()] = k_pseudo_indel;
    frequencies_.begin(counts);
    for (size_t i = 0; i < out.samples.size(); ++i) {
        if (informed_[i]) frequencies_.add(out.samples[i].ploidy, out.samples[i].phred);
    }
    frequencies_.estimate();
}

/// Genotypes of the samples, and what the record says of all of them.
void SiteCaller::genotype(const Site& site, data::CohortRecord& out) {
    const size_t alleles = site.allele_count();
    out.allele_counts.assign(alleles - 1, 0);
    out.frequencies_micro.assign(alleles - 1, 0);
    out.called_copies = out.called_samples = out.depth = 0;
    const auto is_alternate = [&](size_t allele) {
        return allele > 0 && !(site.has_spanning && allele == site.spanning_allele());
    };
    int64_t quality = 0;
    size_t next = 0;
    for (size_t i = 0; i < out.samples.size(); ++i) {
        data::CohortSample& sample = out.samples[i];
        out.depth += std::max(0, sample.depth);
        if (!informed_[i]) continue;
        frequencies_.posterior(next++, posterior_);
        const BestGenotype best = best_genotype(posterior_);
        sample.genotype_quality = best.quality;
        double with = 0;
        double without = 0;
        for_each_genotype(alleles, sample.ploidy, [&](size_t index, size_t a, size_t b) {
            (is_alternate(a) || is_alternate(b) ? with : without) += posterior_[index];
            if (index == best.index) sample.genotype = {static_cast<int>(a), static_cast<int>(b)};
        });
        quality += with < k_half ? phred_fixed_of_complement(with) : phred_fixed(without);
        ++out.called_samples;
        for (int copy = 0; copy < sample.ploidy; ++copy) {
            const int allele = sample.genotype[static_cast<size_t>(copy)];
            ++out.called_copies;
            if (allele > 0) ++out.allele_counts[static_cast<size_t>(allele) - 1];
        }
    }
    for (size_t i = 1; i < alleles; ++i) out.frequencies_micro[i - 1] = frequencies_.frequency_micro(i);
    out.quality_centi = (quality * k_centi + k_phred_unit / 2) / k_phred_unit;
}

/// Removes alleles that no sample has; false where all are there.
bool SiteCaller::drop_absent(Site& site, const data::CohortRecord& out) {
    const size_t before = site.allele_count();
    if (site.has_rest && out.allele_counts[site.rest_allele() - 1] == 0) site.has_rest = false;
    if (site.has_spanning && out.allele_counts[site.spanning_allele() - 1] == 0) site.has_spanning = false;
    std::vector<Site::Alternate> kept;
    for (size_t i = 0; i < site.alternates.size(); ++i) {
        if (out.allele_counts[i] > 0) kept.push_back(std::move(site.alternates[i]));
    }
    site.alternates = std::move(kept);
    return site.allele_count() != before;
}

bool SiteCaller::call(const std::vector<SampleWindow>& samples, Site site, data::CohortRecord& out) {
    do {
        project_all(samples, site, out);
        estimate(site, out);
        genotype(site, out);
    } while (drop_absent(site, out) && !site.alternates.empty());
    if (site.alternates.empty()) return false;
    out.position = site.position;
    out.alleles = site.alleles();
    return true;
}

}  // namespace gannet::variants::cohort
