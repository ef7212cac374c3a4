// SPDX-License-Identifier: MIT
// Provides genotypes of single sites: from likelihoods of allele pairs and priors to a called variant.
#pragma once

#include "data/variant.hpp"
#include "variants/allele.hpp"
#include "variants/log_math.hpp"
#include "variants/read_set.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// Index of the genotype of alleles a <= b in VCF's order.
constexpr size_t genotype_index(size_t a, size_t b) { return b * (b + 1) / 2 + a; }

/// Likelihoods and read counts of one site with `alleles` alleles, the reference first.
struct SiteEvidence {
    size_t alleles = 0;
    std::vector<int64_t> genotypes;      ///< log10 P(reads | genotype), VCF order
    std::vector<LogProbability> priors;  ///< log10 P(heterozygous for it), one per allele, [0] unused
    std::vector<std::array<int32_t, 2>>
        strands;                          ///< informative fragments, by allele and strand (forward, reverse)
    int64_t squared_mapping_quality = 0;  ///< summed over those fragments
    int32_t fragments = 0;

    /// Root mean square over the fragments, rounded; 0 without any.
    int32_t mapping_quality() const;
    void reset(size_t allele_count);
    void count(size_t allele, bool reverse, uint8_t mapping_quality);
};

/// Prior of an allele: 1e-3 for an SNV, 1.25e-4 for an indel, more in tandem repeats, where most indels are.
LogProbability allele_prior(const ReferenceSlice& slice, const Allele& allele,
                            const std::vector<data::Base>& arena);

/// log10 prior of alleles a <= b of a site whose alleles have these priors.
LogProbability genotype_prior(std::span<const LogProbability> priors, size_t a, size_t b);

/// Calls the most probable genotype. False if that is 0/0, or QUAL is below
/// `minimum_quality_centi`. Fills genotype, quality, GQ, PL, AD, DP, strand counts, FS and MQ of `out`;
/// `called` gets the evidence's index of each allele of the record (the reference, then the called ones).
bool call_site(const SiteEvidence& evidence, int32_t minimum_quality_centi, data::Variant& out,
               std::vector<size_t>& called);

/// The same from scores: `scores[i]` is the log10 probability of 0, 1 and 2 copies of allele `scored[i]` of
/// the evidence; a genotype's is the sum over them. Alleles without scores are left out. PL are Phred of
/// these probabilities.
bool call_scored_site(const SiteEvidence& evidence, std::span<const size_t> scored,
                      std::span<const std::array<int32_t, 3>> scores, int32_t minimum_quality_centi,
                      data::Variant& out, std::vector<size_t>& called);

/// Evidence for an SNV from the pile-up at `position`: base qualities capped by mapping quality, overlapping
/// mates counted once. `bases`: the alleles as base codes, the reference first.
void pile_up(const ReadSet& set, int64_t position, std::span<const data::Base> bases,
             int32_t minimum_base_quality, SiteEvidence& evidence);

}  // namespace gannet::variants
