// SPDX-License-Identifier: MIT
// Provides one site of a VCF as gannet calls it: alleles, quality, filters and one sample's genotype with
// evidence.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gannet::data {

/// Filters gannet applies; bits of Variant::filters. 0 is PASS. Names and descriptions: data/vcf/header.
enum VariantFilter : uint32_t {
    k_filter_low_quality = 1,  ///< LowQual
    k_filter_low_depth = 2,    ///< LowDepth
    k_filter_strand_bias = 4,  ///< StrandBias
    k_filter_high_depth = 8,   ///< HighDepth
    k_filter_allele_bias = 16  ///< AlleleBias
};

/// A called site. Position is 0-based (VCF POS - 1). Alleles are upper-case letters, parsimonious and
/// left-aligned (VCF 4.3, Tan 2015); `alleles[0]` is REF, "*" may stand for an upstream deletion.
struct Variant {
    uint32_t contig = 0;
    int64_t position = 0;
    std::vector<std::string> alleles;
    int32_t quality_centi = 0;  ///< QUAL * 100, integer so that no libm rounding reaches the output
    uint32_t filters = 0;

    std::array<int8_t, 2> genotype = {-1, -1};  ///< allele indices, ascending unless phased; -1 missing
    bool phased = false;
    int64_t phase_set = -1;             ///< 0-based position that names the phase set; -1 none
    int32_t genotype_quality = 0;       ///< GQ, 0-99
    int32_t depth = 0;                  ///< DP: informative reads
    std::vector<int32_t> allele_depth;  ///< AD, one an allele
    std::vector<int32_t> likelihoods;   ///< PL in VCF order, 0 is the best

    int32_t strand_counts[4] = {0, 0, 0,
                                0};  ///< ref forward, ref reverse, alt forward, alt reverse (INFO SB)
    int32_t mapping_quality = 0;     ///< INFO MQ: root mean square, rounded
};

}  // namespace gannet::data
