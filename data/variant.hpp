// SPDX-License-Identifier: MIT
// Provides one site of a VCF as gannet calls it: alleles, quality, filters and one sample's genotype with
// evidence.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gannet::data {

/// Filters gannet applies; bits of Variant::filters. 0 is PASS. Their IDs in a VCF: data/vcf/text.cpp.
enum VariantFilter : uint32_t {
    k_filter_low_quality = 1,                 ///< LowQual
    k_filter_low_depth = 2,                   ///< LowDepth
    k_filter_strand_bias = 4,                 ///< StrandBias
    k_filter_high_depth = 8,                  ///< HighDepth
    k_filter_allele_bias = 16,                ///< AlleleBias
    k_filter_not_applied = uint32_t{1} << 31  ///< `.`: not a variant of the sample, and so not filtered
};

/// What a filter stands for, as the header of a VCF describes it.
struct FilterDescription {
    VariantFilter filter = k_filter_low_quality;
    std::string text;  ///< plain text with its thresholds; neither quotes nor backslashes
};

/// z * 1000 of the Mann-Whitney tests of the reads of the alternate alleles against those of the reference,
/// above 0 where the former have the higher values. Empty where one of the two has no read.
struct RankSums {
    std::optional<int32_t> base_quality_milli;     ///< INFO BaseQRankSum
    std::optional<int32_t> mapping_quality_milli;  ///< INFO MQRankSum
    std::optional<int32_t> read_position_milli;    ///< INFO ReadPosRankSum: distance from the nearer end
};

/// A called site. Position is 0-based (VCF POS - 1). Alleles are upper-case letters, parsimonious and
/// left-aligned (VCF 4.3, Tan 2015); `alleles[0]` is REF, "*" may stand for an upstream deletion.
struct Variant {
    uint32_t contig = 0;
    int64_t position = 0;
    std::string id;  ///< as VCF has it, names separated by semicolons; empty: none
    std::vector<std::string> alleles;
    int32_t quality_centi = 0;  ///< QUAL * 100, integer so that no libm rounding reaches the output
    int32_t uncapped_quality_centi =
        -1;  ///< QUAL * 100 by the reads alone, which QD is of; -1: quality_centi
    uint32_t filters = 0;

    int32_t ploidy = 2;  ///< copies that `genotype` states: 1 or 2
    /// Allele of each copy, -1 for missing: ascending where unphased, in the order of the haplotypes where
    /// phased.
    std::array<int8_t, 2> genotype = {-1, -1};
    /// FORMAT PS: 0-based position of the first site of the block. The genotypes of a block's sites have its
    /// two haplotypes in the same order. -1: not phased.
    int64_t phase_set = -1;
    int32_t genotype_quality = 0;       ///< GQ, 0-99
    int32_t depth = 0;                  ///< DP: informative reads, overlapping mates counted once
    std::vector<int32_t> allele_depth;  ///< AD, one per allele
    std::vector<int32_t>
        likelihoods;  ///< PL of the genotypes of `ploidy` copies in VCF's order, 0 is the best
    /// Of a gVCF: PL of the genotypes that have an allele beyond `alleles`, in VCF's order, which puts them
    /// after `likelihoods`. Empty where they were not asked for.
    std::vector<int32_t> unobserved_likelihoods;

    /// INFO SB: reference forward, reference reverse, alternate forward, alternate reverse.
    std::array<int32_t, 4> strand_counts{};
    int32_t strand_bias_centi = 0;  ///< INFO FS * 100: Fisher's exact test of strand_counts, Phred
    int32_t mapping_quality = 0;    ///< INFO MQ: root mean square, rounded
    /// INFO AS_SB_TABLE: reads of each allele, forward and reverse. Empty where there are none.
    std::vector<std::array<int32_t, 2>> allele_strands;
    int32_t strand_odds_milli = 0;  ///< INFO SOR * 1000: the symmetric odds ratio of strand_counts
    RankSums rank_sums;
};

}  // namespace gannet::data
