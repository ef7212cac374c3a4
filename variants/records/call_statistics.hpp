// SPDX-License-Identifier: MIT
// Provides counts of called variants for a run's report: SNVs and indels, transitions and transversions,
// heterozygous and homozygous genotypes.
#pragma once

#include "data/variant.hpp"

#include <cstdint>

namespace gannet::variants {

/// Counts over VCF records. As `bcftools stats` counts them: a record with an SNV and an indel among its
/// alternate alleles is counted as both, and transitions and transversions are counted per alternate allele.
struct VariantCounts {
    uint64_t records = 0;
    uint64_t snps = 0;    ///< records with at least one alternate allele that is an SNV
    uint64_t indels = 0;  ///< records with at least one alternate allele that is an insertion or deletion
    uint64_t multiallelic = 0;   ///< records with two or more alternate alleles
    uint64_t insertions = 0;     ///< alternate alleles longer than REF
    uint64_t deletions = 0;      ///< alternate alleles shorter than REF
    uint64_t transitions = 0;    ///< alternate alleles that are an SNV between A and G or between C and T
    uint64_t transversions = 0;  ///< alternate alleles that are any other SNV of A, C, G and T
    uint64_t heterozygous = 0;   ///< records whose genotype has two different alleles, such as 0/1 and 1/2
    uint64_t homozygous_alternate = 0;  ///< records whose genotype has an alternate allele twice
    uint64_t haploid_alternate = 0;     ///< records whose genotype is one alternate allele
    /// Records of a heterozygous SNV, of REF and one other allele, with 15 reads or more of the two; and
    /// those of them whose shares of these reads differ from a half by more than a tenth and by more than
    /// twice the standard deviation of chance: of a diploid sample about one in twenty.
    uint64_t balance_known = 0;
    uint64_t uneven = 0;

    void add(const data::Variant& variant);
    VariantCounts& operator+=(const VariantCounts& other);
    friend bool operator==(const VariantCounts&, const VariantCounts&) = default;
};

/// Counts over all records and over those whose FILTER is PASS. Sums of integers: the order of add() and +=
/// does not matter, so parts may be counted apart and merged. Throws nothing. Cost: the letters of the
/// alleles.
struct CallStatistics {
    VariantCounts all;
    VariantCounts pass;

    void add(const data::Variant& variant);
    CallStatistics& operator+=(const CallStatistics& other);
    friend bool operator==(const CallStatistics&, const CallStatistics&) = default;
};

}  // namespace gannet::variants
