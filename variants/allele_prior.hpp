// SPDX-License-Identifier: MIT
// Provides the prior of an allele: how often a person has it, by the tandem repeat that it changes.
#pragma once

#include "data/sequence.hpp"
#include "variants/allele.hpp"
#include "variants/log_math.hpp"

#include <vector>

namespace gannet::variants {

inline constexpr LogProbability k_snp_prior = -3 * k_log_scale;

/// Prior of an allele, log10: the expected number of copies per haplotype, and the probability of a
/// heterozygous site. k_snp_prior for an SNV, 1.25e-4 for an indel outside of repeats. One that adds or
/// removes a copy of a repeat's unit (1 to 6 bases) has the share of such repeats, by period and number of
/// copies in the reference, in which HG002 has this allele: counted in GIAB's benchmark v4.2.1, GRCh38
/// chr20:5,000,001-10,000,000 (docs/calling.md has the counts). It rises from 2e-4 to 1 in 8: of homopolymers
/// between 5 and 11 bases, of longer units between 2 and 7 copies.
LogProbability allele_prior(const ReferenceSlice& slice, const Allele& allele,
                            const std::vector<data::Base>& arena);

}  // namespace gannet::variants
