// SPDX-License-Identifier: MIT
// Provides the likelihood of genotypes where a part of the fragments comes from another person.
#pragma once

#include "variants/arithmetic/genotype_order.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/model/sample.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gannet::variants {

/// log10 of the mean, over the copies of a genotype, of the probability that each gives a fragment;
/// `values[allele]` is log10 of that probability.
template <class Values>
LogProbability mean_over_copies(const Genotype& genotype, const Values& values) {
    static_assert(k_max_ploidy == 2, "two different alleles have one copy each");
    const LogProbability low = values[genotype.lowest()];
    return genotype.is_uniform() ? low
                                 : log_add<LogProbability>(low, values[genotype.highest()]) + k_log_half;
}

/// How many of the fragments come from another person (a mixed-up or leaked library, a shared flow cell).
class Contamination {
  public:
    static constexpr int32_t k_max_ppm = sample_number("contamination_max_ppm");

    Contamination() = default;
    /// `parts_per_million` of all fragments, 0 to k_max_ppm.
    explicit Contamination(int32_t parts_per_million);
    bool none() const { return parts_per_million_ == 0; }
    int32_t parts_per_million() const { return parts_per_million_; }

    /// log10 of the part of all fragments that come from an allele of which the other person has one or two
    /// copies ([0], [1]), and of the rest.
    std::array<LogProbability, 2> other{};
    std::array<LogProbability, 2> own{};

  private:
    int32_t parts_per_million_ = 0;
};

/// log10 prior of the copies of an allele that the other person has and the sample lacks: x[0] of one copy,
/// x[1] of two. Of two unrelated people of one population of constant size (allele frequencies x with density
/// 1/x) half of those that differ from a homozygous allele have two copies of the reference's; an allele that
/// is not the reference's has the prior of a variant, and is mostly heterozygous.
std::array<LogProbability, 2> other_reference_prior();
std::array<LogProbability, 2> other_variant_prior(LogProbability allele_prior);

/// Adds to `genotypes` (log10 P(fragments | genotype) in VCF's order, as without contamination) what the most
/// probable genotype of the other person gains. `matrix`: fragments x alleles, log10 P(fragment | allele).
/// `prior(allele, genotype)`: of an allele that the genotype lacks, as other_reference_prior(). Nothing is
/// lost where the other person has no allele that the genotype lacks, so that sites without a trace of
/// another person keep their likelihoods. Cost: fragments x alleles x genotypes.
template <class Prior>
void add_contamination(const Contamination& contamination, std::span<const int32_t> matrix, size_t alleles,
                       size_t ploidy, Prior prior, std::span<int64_t> genotypes) {
    size_t at = 0;
    for_each_genotype(alleles, ploidy, [&](const Genotype& genotype) {
        int64_t best = 0;
        for (size_t allele = 0; allele < alleles; ++allele) {
            if (genotype.copies_of(allele) != 0) continue;
            const std::array<LogProbability, 2> priors = prior(allele, genotype);
            std::array<int64_t, 2> gain{priors[0], priors[1]};
            for (size_t row = 0; row < matrix.size(); row += alleles) {
                const int32_t* const fits = matrix.data() + row;
                const LogProbability own = mean_over_copies(genotype, fits);
                for (size_t copies = 0; copies < gain.size(); ++copies) {
                    gain[copies] += log_add<LogProbability>(own + contamination.own[copies],
                                                            fits[allele] + contamination.other[copies]) -
                                    own;
                }
            }
            best = std::max({best, gain[0], gain[1]});
        }
        genotypes[at++] += best;
    });
}

}  // namespace gannet::variants
