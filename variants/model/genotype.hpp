// SPDX-License-Identifier: MIT
// Provides the numbers of variants/genotype/: priors, and what counts for an allele.
#pragma once

#include "variants/model/model_number.hpp"

namespace gannet::variants {

inline constexpr std::string_view k_hg002 =
    "counted: HG002, GIAB v4.2.1, GRCh38 chr20:5,000,001-10,000,000; compared with chr20:1-5,000,000";

inline constexpr auto k_genotype_numbers = std::to_array<ModelNumber>({
    {"prior_snp_log10", -3, "log10", "one SNV per kb of a person, GATK's default too"},
    {"prior_indel_centi", -390, "log10 x 100", "1.25e-4, GATK's default heterozygosity of indels"},
    {"prior_homopolymer_centi",
     values<-390, -390, -390, -390, -380, -360, -280, -250, -180, -140, -130, -100, -90>,
     "log10 x 100 by copies", k_hg002},
    {"prior_period_2_centi", values<-390, -390, -390, -380, -320, -260, -200, -140, -100>,
     "log10 x 100 by copies", k_hg002},
    {"prior_period_3_to_6_centi", values<-390, -390, -390, -270, -200, -170, -130, -90>,
     "log10 x 100 by copies", k_hg002},
    {"prior_max_unit_bp", 6, "bp", "too few repeats of longer units were counted"},
    {"prior_further_bases_centi", -100, "log10 x 100", k_hg002},
    {"prior_further_copies_centi", -30, "log10 x 100", k_hg002},
    {"prior_long_unit_usual_copies", 3, "copies", k_hand_set},
    {"prior_long_unit_gain_centi", 20, "log10 x 100 per copy", k_hand_set},
    {"prior_long_unit_max_centi", -140, "log10 x 100", k_hand_set},
    {"prior_both_centi", -100, "log10 x 100",
     "0.09 in homopolymers of 12 to 15 bases of HG002; elsewhere hand-set"},
    {"prior_both_in_long_repeats_centi", -40, "log10 x 100", k_hg002},
    {"prior_long_homopolymer_bp", 16, "bp", k_hg002},
    {"prior_long_repeat_bp", 24, "bp", k_hg002},
    {"informative_centi", 20, "log10 x 100", "hand-set; GATK's threshold is the same"},
    {"mismapping_phred", 45, "Phred", k_hand_set},
    {"plausible_log10", 2, "log10", "NA12878 8.8x, chr20:10037144: a call with 13 reads was LowDepth"},
    {"long_indel_bp", 50, "bp", "planted indels, 3 Mb, seed 913"},
    {"gq_max", 99, "Phred", "convention of GATK"},
    {"pl_max", 1'000'000, "Phred", "range of the field"},
});

consteval int64_t genotype_number(std::string_view name) { return number_of(k_genotype_numbers, name); }
template <class T, size_t n>
consteval std::array<T, n> genotype_numbers(std::string_view name) {
    return numbers_of<T, n>(k_genotype_numbers, name);
}

}  // namespace gannet::variants
