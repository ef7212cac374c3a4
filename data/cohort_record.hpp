// SPDX-License-Identifier: MIT
// Provides one site of a cohort's VCF with the genotypes of all samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gannet::data {

/// One sample at a site. What is not known is -1 or empty.
struct CohortSample {
    int ploidy = 2;  ///< 1 or 2
    std::array<int, 2> genotype = {-1, -1};
    bool phased = false;
    int32_t phase_set = -1;         ///< PS; -1: not phased, or by transmission
    int32_t depth = -1;             ///< DP
    int32_t genotype_quality = -1;  ///< GQ, of the posterior
    std::vector<int32_t> depths;    ///< AD
    std::vector<int32_t> phred;     ///< PL: the likelihoods, without the prior
    int32_t de_novo_quality = -1;   ///< DQ; -1: not a child of a family
};

/// Position is 0-based.
struct CohortRecord {
    uint32_t contig = 0;
    int64_t position = 0;
    std::vector<std::string> alleles;
    int64_t quality_centi = 0;               ///< QUAL * 100
    std::vector<int64_t> allele_counts;      ///< AC, by alternate
    std::vector<int64_t> frequencies_micro;  ///< AF * 10^6, by alternate, as estimated from the likelihoods
    int64_t called_copies = 0;               ///< AN
    int64_t called_samples = 0;              ///< NS
    int64_t depth = 0;                       ///< DP: the sum
    std::vector<CohortSample> samples;
    std::vector<size_t> high_de_novos;  ///< samples of hiConfDeNovo
    std::vector<size_t> low_de_novos;   ///< samples of loConfDeNovo
};

}  // namespace gannet::data
