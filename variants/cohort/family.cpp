// SPDX-License-Identifier: MIT
// Provides the sums over the genotypes of a family.
#include "variants/cohort/family.hpp"

#include "variants/cohort/genotypes.hpp"
#include "variants/model/cohort.hpp"

#include <algorithm>

namespace gannet::variants::cohort {
namespace {

constexpr double k_rate_unit = 1e12;
constexpr double k_substitution_rate =
    static_cast<double>(cohort_number("mutation_substitution_pico")) / k_rate_unit;
constexpr double k_indel_rate = static_cast<double>(cohort_number("mutation_indel_pico")) / k_rate_unit;
constexpr double k_other_bases = static_cast<double>(cohort_number("mutation_other_bases"));

bool holds(const std::array<int, 2>& genotype, int allele) {
    return genotype[0] == allele || genotype[1] == allele;
}

}  // namespace

void Family::begin(const Site& site, std::span<const double> frequency) {
    alleles_ = site.allele_count();
    frequency_.assign(frequency.begin(), frequency.end());
    is_alternate_.assign(alleles_, true);
    is_alternate_[0] = false;
    if (site.has_spanning) is_alternate_[site.spanning_allele()] = false;
    mutation_ = site.kind == EventKind::substitution ? k_substitution_rate / k_other_bases : k_indel_rate;
}

std::vector<Family::Copies> Family::genotypes(int ploidy) const {
    std::vector<Copies> all;
    for_each_genotype(alleles_, ploidy, [&](size_t, size_t a, size_t b) { all.push_back({a, b}); });
    return all;
}

std::vector<double> Family::priors(int ploidy) const {
    std::vector<double> all;
    for_each_genotype(alleles_, ploidy, [&](size_t, size_t a, size_t b) {
        const double of_copies = ploidy == 1 ? frequency_[a] : frequency_[a] * frequency_[b];
        all.push_back(ploidy == 1 || a == b ? of_copies : 2 * of_copies);
    });
    return all;
}

Family::Gamete Family::gamete(const Copies& parent, int ploidy) const {
    Gamete out;
    out.all.assign(alleles_, 0);
    out.unchanged.assign(alleles_, 0);
    const double kept = 1 - mutation_ * static_cast<double>(alleles_ - 1);
    const double share = 1 / static_cast<double>(ploidy);
    for (int copy = 0; copy < ploidy; ++copy) {
        const size_t allele = parent[static_cast<size_t>(copy)];
        out.unchanged[allele] += share * kept;
        for (size_t other = 0; other < alleles_; ++other)
            out.all[other] += share * (other == allele ? kept : mutation_);
    }
    return out;
}

/// The sum over the child's genotypes of transmission times likelihood, and its parts: by genotype, without
/// mutations, without an alternate.
double Family::transmit(const Gamete& father, const Gamete& mother, const FamilyMember& child,
                        HaploidSource source, std::vector<double>& weights, double& unchanged,
                        double& without) const {
    double sum = 0;
    unchanged = without = 0;
    weights.resize(child.likelihoods.size());
    const Gamete& one = source == HaploidSource::father ? father : mother;
    for_each_genotype(alleles_, child.ploidy, [&](size_t index, size_t a, size_t b) {
        double all = one.all[a];
        double same = one.unchanged[a];
        if (child.ploidy > 1) {
            all = father.all[a] * mother.all[b];
            same = father.unchanged[a] * mother.unchanged[b];
            if (a != b) {
                all += father.all[b] * mother.all[a];
                same += father.unchanged[b] * mother.unchanged[a];
            }
        }
        weights[index] = all * child.likelihoods[index];
        sum += weights[index];
        unchanged += same * child.likelihoods[index];
        if (!is_alternate_[a] && !is_alternate_[b]) without += weights[index];
    });
    return sum;
}

void Family::solve(const FamilyMember& father, const FamilyMember& mother,
                   std::span<const FamilyMember> children, HaploidSource source, FamilyResult& out) {
    const size_t count = children.size();
    out.posteriors.resize(2 + count);
    out.posteriors[0].assign(father.likelihoods.size(), 0);
    out.posteriors[1].assign(mother.likelihoods.size(), 0);
    for (size_t c = 0; c < count; ++c) out.posteriors[2 + c].assign(children[c].likelihoods.size(), 0);
    out.de_novo.assign(count, 0);
    out.without = 0;
    out.with = 0;
    const std::vector<Copies> fathers = genotypes(father.ploidy);
    const std::vector<Copies> mothers = genotypes(mother.ploidy);
    const std::vector<double> father_prior = priors(father.ploidy);
    const std::vector<double> mother_prior = priors(mother.ploidy);
    std::vector<Gamete> eggs;
    for (const Copies& copies : mothers) eggs.push_back(gamete(copies, mother.ploidy));
    std::vector<std::vector<double>> weights(count);
    std::vector<double> sums(count);
    std::vector<double> unchanged(count);
    double total = 0;
    for (size_t f = 0; f < fathers.size(); ++f) {
        const Gamete sperm = gamete(fathers[f], father.ploidy);
        const double of_father = father_prior[f] * father.likelihoods[f];
        for (size_t m = 0; m < mothers.size(); ++m) {
            double weight = of_father * mother_prior[m] * mother.likelihoods[m];
            const bool none = !is_alternate_[fathers[f][0]] && !is_alternate_[fathers[f][1]] &&
                              !is_alternate_[mothers[m][0]] && !is_alternate_[mothers[m][1]];
            double without = none ? weight : 0;
            for (size_t c = 0; c < count; ++c) {
                double part = 0;
                sums[c] = transmit(sperm, eggs[m], children[c], source, weights[c], unchanged[c], part);
                weight *= sums[c];
                without *= part;
            }
            if (!(weight > 0)) continue;
            total += weight;
            out.without += without;
            out.with += weight - without;
            out.posteriors[0][f] += weight;
            out.posteriors[1][m] += weight;
            for (size_t c = 0; c < count; ++c) {
                const double others = weight / sums[c];
                for (size_t g = 0; g < weights[c].size(); ++g)
                    out.posteriors[2 + c][g] += others * weights[c][g];
                out.de_novo[c] += others * (sums[c] - unchanged[c]);
            }
        }
    }
    for (std::vector<double>& posterior : out.posteriors) {
        for (double& value : posterior) value /= total;
    }
    for (double& value : out.de_novo) value = value > 0 ? value / total : 0;
    out.without /= total;
    out.with /= total;
}

bool has_new_allele(const std::array<int, 2>& child, const std::array<int, 2>& father,
                    const std::array<int, 2>& mother) {
    return std::any_of(child.begin(), child.end(), [&](int allele) {
        return allele >= 0 && !holds(father, allele) && !holds(mother, allele);
    });
}

bool phase_by_transmission(std::array<int, 2>& child, const std::array<int, 2>& father,
                           const std::array<int, 2>& mother) {
    const bool as_is = holds(father, child[0]) && holds(mother, child[1]);
    const bool turned = holds(father, child[1]) && holds(mother, child[0]);
    if (child[0] == child[1]) return as_is;
    if (as_is == turned) return false;
    if (turned) std::swap(child[0], child[1]);
    return true;
}

}  // namespace gannet::variants::cohort
