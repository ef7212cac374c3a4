// SPDX-License-Identifier: MIT
// Provides the numbers of variants/cohort/: which alleles of single samples make a site of a cohort, and what
// is known of their frequencies beforehand. They are not part of the caller's model, whose hash stays.
#pragma once

#include "variants/model/model_number.hpp"

namespace gannet::variants {

inline constexpr std::string_view k_gatk_prior =
    "GATK's AlleleFrequencyCalculator: heterozygosity / 0.01^2 copies of the reference";

inline constexpr auto k_cohort_numbers = std::to_array<ModelNumber>({
    {"allele_min_quality", 10, "Phred", "as low_quality_centi: what a sample's own VCF calls PASS"},
    {"site_min_quality", 20, "Phred", "default of an option"},
    {"max_alternates", 6, "alleles", "default of an option; GATK's GenotypeGVCFs"},
    {"max_left_shift_bp", 1000, "bp", "longer than any repeat that a record's padding reaches; hand-set"},
    {"lost_allele_min_phred", 20, "Phred", "a genotype that the site cannot express; hand-set"},
    {"pseudo_reference_micro", 10'000'000, "copies / 10^6", k_gatk_prior},
    {"pseudo_substitution_micro", 10'000, "copies / 10^6", k_gatk_prior},
    {"pseudo_indel_micro", 1'250, "copies / 10^6", k_gatk_prior},
    {"em_max_rounds", 100, "rounds", k_hand_set},
    {"em_tolerance_micro", 1'000, "copies / 10^6", k_hand_set},
});

consteval int64_t cohort_number(std::string_view name) { return number_of(k_cohort_numbers, name); }

}  // namespace gannet::variants
