// SPDX-License-Identifier: MIT
// Provides the prior of an allele: how often a person has it, by the tandem repeat that it changes.
#pragma once

#include "data/sequence.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/model/genotype.hpp"
#include "variants/sample/gap_quality.hpp"
#include "variants/sequence/allele.hpp"

#include <vector>

namespace gannet::variants {

inline constexpr LogProbability k_snp_prior = genotype_number("prior_snp_log10") * k_log_scale;

/// How often a person has an allele, log10.
struct AllelePrior {
    /// The expected number of copies per haplotype, and the probability of a heterozygous site.
    LogProbability one = 0;
    /// How much less probable than the rarer of two alternate alleles alone it is to have both.
    LogProbability both = k_rarely_both;
    static constexpr LogProbability k_rarely_both = genotype_number("prior_both_centi") * k_log_scale / 100;

    constexpr AllelePrior() = default;
    constexpr AllelePrior(LogProbability of_one) : one(of_one) {}
    constexpr AllelePrior(LogProbability of_one, LogProbability of_both) : one(of_one), both(of_both) {}
};

/// Prior of an allele. Of one: k_snp_prior for an SNV, 1.25e-4 for an indel outside of repeats. One that adds
/// or removes a copy of a repeat's unit (1 to 6 bases) has the share of such repeats, by period and number of
/// copies in the reference, in which HG002 has this allele: counted in GIAB's benchmark v4.2.1, GRCh38
/// chr20:5,000,001-10,000,000 (docs/calling.md has the counts). It rises from 2e-4 to 1 in 8: of homopolymers
/// between 5 and 11 bases, of longer units between 2 and 7 copies. Of both: a tenth; two fifths in repeats of
/// 16 copies of one base, or of 24 bases and more of longer units, if `gaps` is known to be that of a library
/// whose reads change such a repeat as seldom as usual.
AllelePrior allele_prior(const ReferenceSlice& slice, const Allele& allele,
                         const std::vector<data::Base>& arena, const GapQualityTable& gaps);

}  // namespace gannet::variants
