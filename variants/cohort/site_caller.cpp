// SPDX-License-Identifier: MIT
// Provides genotyping of a site.
#include "variants/cohort/site_caller.hpp"

#include "variants/arithmetic/probability.hpp"
#include "variants/cohort/genotypes.hpp"
#include "variants/model/cohort.hpp"
#include "variants/model/genotype.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace gannet::variants::cohort {
namespace {

constexpr double k_micro_unit = 1e6;
constexpr double k_pseudo_reference =
    static_cast<double>(cohort_number("pseudo_reference_micro")) / k_micro_unit;
constexpr double k_theta_substitution =
    static_cast<double>(cohort_number("theta_substitution_micro")) / k_micro_unit;
constexpr double k_theta_indel = static_cast<double>(cohort_number("theta_indel_micro")) / k_micro_unit;
constexpr int64_t k_centi = 100;
constexpr double k_half = 0.5;
constexpr int32_t k_max_quality = genotype_number("gq_max");
constexpr int32_t k_high_phred = cohort_number("de_novo_high_phred");
constexpr int32_t k_low_phred = cohort_number("de_novo_low_phred");
constexpr int32_t k_min_transmission_phred = cohort_number("transmission_min_phred");

double theta_of(const Site& site) {
    return site.kind == EventKind::substitution ? k_theta_substitution : k_theta_indel;
}

bool is_alternate(const Site& site, size_t allele) {
    return allele > 0 && !(site.has_spanning && allele == site.spanning_allele());
}

}  // namespace

void SiteCaller::project_all(const std::vector<SampleWindow>& samples, const Site& site,
                             data::CohortRecord& out) {
    out.samples.resize(samples.size());
    projections_.resize(samples.size());
    for (size_t i = 0; i < samples.size(); ++i) {
        Projection& projection = projections_[i];
        project(samples[i], site, projection);
        data::CohortSample& sample = out.samples[i];
        sample.ploidy = projection.ploidy;
        sample.genotype = {-1, -1};
        sample.phased = false;
        sample.phase_set = -1;
        sample.genotype_quality = -1;
        sample.de_novo_quality = -1;
        sample.depth = projection.depth;
        std::swap(sample.depths, projection.depths);
        std::swap(sample.phred, projection.phred);
    }
}

/// Leaves those out whose two copies are no ones to be transmitted.
void SiteCaller::choose_families(const data::CohortRecord& out, const Inheritance& inheritance) {
    families_ = all_families_;
    if (!inheritance.is_single_in_males || all_families_.empty()) return;
    const auto is_diploid = [&](size_t male) {
        if (!is_informed(male)) return false;
        const bool is = out.samples[male].ploidy > 1;
        ++(is ? males_[male].two : males_[male].one);
        return is;
    };
    haploid_families_.clear();
    for (Kinship family : all_families_) {
        if (family.father && is_diploid(*family.father)) family.father.reset();
        for (const size_t son : family.sons) {
            if (is_diploid(son)) std::erase(family.children, son);
        }
        if (!family.children.empty() && (family.father || family.mother))
            haploid_families_.push_back(std::move(family));
    }
    families_ = haploid_families_;
}

void SiteCaller::estimate(const Site& site, const data::CohortRecord& out) {
    std::vector<double> counts(site.allele_count(), k_pseudo_reference * theta_of(site));
    counts[0] = k_pseudo_reference;
    if (site.has_spanning) counts[site.spanning_allele()] = k_pseudo_reference * k_theta_indel;
    frequencies_.begin(counts);
    // The copies of a child are those of its parents.
    is_founder_.assign(out.samples.size(), true);
    for (const Kinship& family : families_) {
        for (const size_t child : family.children) is_founder_[child] = false;
    }
    order_.assign(out.samples.size(), 0);
    for (size_t i = 0; i < out.samples.size(); ++i) {
        if (!is_informed(i)) continue;
        order_[i] = frequencies_.samples();
        frequencies_.add(out.samples[i].ploidy, out.samples[i].phred, is_founder_[i]);
    }
    frequencies_.estimate();
}

/// Of each sample by itself.
void SiteCaller::take_posteriors(const data::CohortRecord& out) {
    posteriors_.resize(out.samples.size());
    for (size_t i = 0; i < out.samples.size(); ++i) {
        if (is_informed(i)) frequencies_.posterior(order_[i], posteriors_[i]);
    }
}

FamilyMember SiteCaller::member(std::optional<size_t> index, const data::CohortRecord& out) const {
    const int ploidy = index ? out.samples[*index].ploidy : 2;
    if (index && is_informed(*index)) return {ploidy, frequencies_.likelihoods(order_[*index])};
    return {ploidy, std::span(unknown_).first(genotype_count(frequencies_.prior().size(), ploidy))};
}

/// Replaces the posteriors of those who are related.
void SiteCaller::solve_families(const Site& site, const data::CohortRecord& out, bool is_y) {
    in_family_.assign(out.samples.size(), false);
    de_novo_.assign(out.samples.size(), -1);
    sources_.clear();
    if (families_.empty()) return;
    family_.begin(site, frequencies_.prior());
    unknown_.assign(genotype_count(site.allele_count(), 2), 1);
    std::vector<FamilyMember> children;
    for (const Kinship& family : families_) {
        children.clear();
        for (const size_t child : family.children) children.push_back(member(child, out));
        const FamilyMember father = member(family.father, out);
        const FamilyMember mother = member(family.mother, out);
        const bool no_mother = !family.mother || out.samples[*family.mother].phred.empty();
        const HaploidSource source = is_y || (no_mother && family.father && father.ploidy == 1)
                                         ? HaploidSource::father
                                         : HaploidSource::mother;
        sources_.push_back(source);
        family_.solve(father, mother, children, source, result_);
        // Who is in an earlier family keeps what that one says.
        const auto take = [&](std::optional<size_t> index, size_t place) {
            if (!index || in_family_[*index]) return;
            in_family_[*index] = true;
            if (is_informed(*index)) posteriors_[*index] = result_.posteriors[place];
        };
        for (size_t c = 0; c < family.children.size(); ++c) {
            take(family.children[c], 2 + c);
            if (is_informed(family.children[c])) de_novo_[family.children[c]] = result_.de_novo[c];
        }
        take(family.father, 0);
        take(family.mother, 1);
    }
}

/// By the counts of alternates in those who are nobody's child.
int64_t SiteCaller::quality_of_founders(const Site& site, const data::CohortRecord& out) {
    site_quality_.begin(theta_of(site));
    for (size_t i = 0; i < out.samples.size(); ++i) {
        const data::CohortSample& sample = out.samples[i];
        if (!is_informed(i) || !is_founder_[i]) continue;
        std::array<int32_t, 3> best{};
        best.fill(std::numeric_limits<int32_t>::max());
        for_each_genotype(site.allele_count(), sample.ploidy, [&](size_t index, size_t a, size_t b) {
            const size_t copies =
                is_alternate(site, a) + (sample.ploidy > 1 && is_alternate(site, b) ? size_t{1} : 0);
            best[copies] = std::min(best[copies], sample.phred[index]);
        });
        site_quality_.add(sample.ploidy, best);
    }
    return site_quality_.quality();
}

/// The same of families, with what their children show; to them an alternate is as rare as at any position.
int64_t SiteCaller::quality_of_families(const Site& site, const data::CohortRecord& out) {
    if (families_.empty()) return 0;
    std::vector<double> frequency(frequencies_.prior().begin(), frequencies_.prior().end());
    double others = site.has_spanning ? frequency[site.spanning_allele()] : 0;
    const auto alternates = static_cast<double>(site.alternates.size() + site.has_rest);
    for (size_t i = 1; i < frequency.size(); ++i) {
        if (!is_alternate(site, i)) continue;
        frequency[i] = theta_of(site) / alternates;
        others += frequency[i];
    }
    frequency[0] = others < 1 ? 1 - others : 0;
    family_.begin(site, frequency);
    int64_t quality = 0;
    std::vector<bool> seen(out.samples.size(), false);
    std::vector<FamilyMember> children;
    for (size_t f = 0; f < families_.size(); ++f) {
        const Kinship& family = families_[f];
        children.clear();
        bool is_new = true;
        const auto see = [&](std::optional<size_t> index) {
            if (!index) return;
            is_new = is_new && !seen[*index];
            seen[*index] = true;
        };
        see(family.father);
        see(family.mother);
        for (const size_t child : family.children) {
            see(child);
            children.push_back(member(child, out));
        }
        if (!is_new) continue;  // an allele of a person counts once
        family_.solve(member(family.father, out), member(family.mother, out), children, sources_[f], result_);
        quality +=
            result_.with < k_half ? phred_fixed_of_complement(result_.with) : phred_fixed(result_.without);
    }
    return quality;
}

/// Phase by transmission, and new alleles.
void SiteCaller::finish_families(data::CohortRecord& out) {
    out.high_de_novos.clear();
    out.low_de_novos.clear();
    const data::CohortSample unknown;
    for (size_t f = 0; f < families_.size(); ++f) {
        const Kinship& family = families_[f];
        const std::array<int, 2>& father =
            family.father ? out.samples[*family.father].genotype : unknown.genotype;
        const std::array<int, 2>& mother =
            family.mother ? out.samples[*family.mother].genotype : unknown.genotype;
        // The order that a wrong genotype of a parent allows would replace that of the child's own reads.
        const auto is_certain = [&out](const std::optional<size_t>& parent) {
            return parent && out.samples[*parent].genotype_quality >= k_min_transmission_phred;
        };
        const bool tells_order = is_certain(family.father) && is_certain(family.mother);
        for (const size_t child : family.children) {
            data::CohortSample& sample = out.samples[child];
            if (!is_informed(child)) continue;
            const int64_t quality = (phred_fixed(1 - de_novo_[child]) + k_phred_unit / 2) / k_phred_unit;
            sample.de_novo_quality = static_cast<int32_t>(std::min<int64_t>(quality, k_max_quality));
            // A haploid child has a copy of one parent only.
            const bool both = sample.ploidy > 1;
            const std::array<int, 2>& first = !both && sources_[f] == HaploidSource::mother ? mother : father;
            const std::array<int, 2>& second = both ? mother : first;
            if (first[0] < 0 || second[0] < 0) continue;
            if (has_new_allele(sample.genotype, first, second)) {
                if (sample.de_novo_quality >= k_high_phred) {
                    out.high_de_novos.push_back(child);
                } else if (sample.de_novo_quality >= k_low_phred) {
                    out.low_de_novos.push_back(child);
                }
            }
            if (both && tells_order) sample.phased = phase_by_transmission(sample.genotype, father, mother);
        }
    }
    std::sort(out.high_de_novos.begin(), out.high_de_novos.end());
    std::sort(out.low_de_novos.begin(), out.low_de_novos.end());
}

/// What the sample's own record adds to its genotype, and what it does not know of it.
void SiteCaller::finish_sample(size_t index, data::CohortSample& sample) const {
    const Projection& own = projections_[index];
    const auto copies = std::span(sample.genotype).first(static_cast<size_t>(sample.ploidy));
    // Where the likelihoods of <*> stand for an allele, its reads were counted for others, or not at all.
    const bool is_shown = std::ranges::all_of(
        copies, [&](int allele) { return allele < 0 || own.is_shown[static_cast<size_t>(allele)]; });
    if (!is_shown) sample.depths.clear();
    if (sample.phased || own.phase_set < 0 || copies.size() != own.genotype.size() || copies[0] == copies[1])
        return;
    if (!std::ranges::is_permutation(copies, own.genotype)) return;
    sample.genotype = own.genotype;
    sample.phased = true;
    sample.phase_set = own.phase_set;
}

/// Genotypes of the samples, and what the record says of all of them.
void SiteCaller::genotype(const Site& site, data::CohortRecord& out, bool is_y) {
    const size_t alleles = site.allele_count();
    out.allele_counts.assign(alleles - 1, 0);
    out.frequencies_micro.assign(alleles - 1, 0);
    out.called_copies = out.called_samples = out.depth = 0;
    take_posteriors(out);
    solve_families(site, out, is_y);
    for (size_t i = 0; i < out.samples.size(); ++i) {
        data::CohortSample& sample = out.samples[i];
        out.depth += std::max(0, sample.depth);
        if (!is_informed(i)) continue;
        const BestGenotype best = best_genotype(posteriors_[i]);
        sample.genotype_quality = best.quality;
        for_each_genotype(alleles, sample.ploidy, [&](size_t index, size_t a, size_t b) {
            if (index == best.index) sample.genotype = {static_cast<int>(a), static_cast<int>(b)};
        });
        ++out.called_samples;
        for (int copy = 0; copy < sample.ploidy; ++copy) {
            const int allele = sample.genotype[static_cast<size_t>(copy)];
            ++out.called_copies;
            if (allele > 0) ++out.allele_counts[static_cast<size_t>(allele) - 1];
        }
    }
    for (size_t i = 1; i < alleles; ++i) out.frequencies_micro[i - 1] = frequencies_.frequency_micro(i);
    finish_families(out);
    for (size_t i = 0; i < out.samples.size(); ++i) {
        if (is_informed(i)) finish_sample(i, out.samples[i]);
    }
    const int64_t quality = std::max(quality_of_founders(site, out), quality_of_families(site, out));
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

bool SiteCaller::call(const std::vector<SampleWindow>& samples, Site site, data::CohortRecord& out,
                      const Inheritance& inheritance) {
    bool is_first = true;
    do {
        project_all(samples, site, out);
        if (is_first && inheritance.is_autosomal) kinship_.add(site, out);
        is_first = false;
        choose_families(out, inheritance);
        estimate(site, out);
        genotype(site, out, inheritance.is_y);
    } while (drop_absent(site, out) && !site.alternates.empty());
    if (site.alternates.empty()) return false;
    out.position = site.position;
    out.alleles = site.alleles();
    return true;
}

}  // namespace gannet::variants::cohort
