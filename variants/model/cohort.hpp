// SPDX-License-Identifier: MIT
// Provides the numbers of variants/cohort/: which alleles of single samples make a site of a cohort, and what
// is known of their frequencies beforehand. They are not part of the caller's model, whose hash stays.
#pragma once

#include "variants/model/model_number.hpp"

namespace gannet::variants {

inline constexpr auto k_cohort_numbers = std::to_array<ModelNumber>({
    {"allele_min_quality", 10, "Phred", "as low_quality_centi: what a sample's own VCF calls PASS"},
    {"site_min_quality", 3, "Phred", "default of an option; as written_min_quality_centi"},
    {"max_alternates", 6, "alleles", "default of an option; GATK's GenotypeGVCFs"},
    {"max_left_shift_bp", 1000, "bp", "longer than any repeat that a record's padding reaches; hand-set"},
    {"lost_allele_min_phred", 20, "Phred", "a genotype that the site cannot express; hand-set"},
    {"pseudo_reference_micro", 1'000'000, "copies / 10^6",
     "the neutral spectrum, density 1/f; GATK's 10 made carriers of two copies heterozygous where few "
     "samples "
     "are"},
    {"theta_substitution_micro", 1'000, "heterozygosity x 10^6", "GATK's default"},
    {"theta_indel_micro", 125, "heterozygosity x 10^6", "GATK's default"},
    {"mutation_substitution_pico", 12'000, "10^-12 per base and transmission",
     "Kong et al. 2012, Nature 488:471; Roach et al. 2010: 11'000"},
    {"mutation_other_bases", 3, "bases", "a base becomes each of the three others alike"},
    {"mutation_indel_pico", 1'500, "10^-12 per base and transmission",
     "Besenbacher et al. 2015, Nat Commun 6:5969"},
    {"de_novo_high_phred", 20, "DQ", "hiConfDeNovo: 99 in 100"},
    {"de_novo_low_phred", 3, "DQ", "loConfDeNovo: more likely than not"},
    {"transmission_min_phred", 10, "GQ of both parents",
     "a trio at 10x, where 19 of 56 orders by less certain parents were wrong, was looked at"},
    {"kinship_min_phred", 30, "Phred", "of both genotypes; hand-set"},
    {"kinship_max_opposite_percent", 5, "percent of sites",
     "half of what full siblings have (kinship.hpp); parents and children below 1"},
    {"kinship_min_opposite", 50, "sites", "a deletion that a child inherits makes some; hand-set"},
    {"kinship_sites", 2'000, "sites",
     "where the first verdict is: some megabases of a human genome; hand-set"},
    {"em_max_rounds", 100, "rounds", k_hand_set},
    {"em_tolerance_micro", 1'000, "copies / 10^6", k_hand_set},
});

consteval int64_t cohort_number(std::string_view name) { return number_of(k_cohort_numbers, name); }

}  // namespace gannet::variants
