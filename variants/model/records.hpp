// SPDX-License-Identifier: MIT
// Provides the numbers of variants/records/: filters, limits of QUAL and GQ, phase, reference blocks.
#pragma once

#include "variants/model/model_number.hpp"

namespace gannet::variants {

inline constexpr std::string_view k_cap_sets =
    "fitted: shares of wrong calls on human and n101, looked at throughout";
inline constexpr std::string_view k_low_cap_sets =
    "as cap_snp; the limits of 12 and 14 between natural sets and dirty ones, which were looked at";
inline constexpr std::string_view k_few_reads_sets =
    "fitted: 8x and 15x, seeds 4408 and 4415; 4508 and 4515 were looked at once";
inline constexpr std::string_view k_phase_sets = "hand-set; switch errors of human were counted";

inline constexpr auto k_records_numbers = std::to_array<ModelNumber>({
    {"written_min_quality_centi", 300, "Phred x 100", k_hand_set},
    {"low_quality_centi", 1000, "Phred x 100", "most calls between 10 and 20 were true; human was looked at"},
    {"low_depth_min_reads", 2, "informative reads", k_hand_set},
    {"strand_bias_one_sided_centi", 4500, "FS x 100", k_hand_set},
    {"strand_bias_centi", 20'000, "FS x 100", k_hand_set},
    {"strand_bias_absent_centi", 4500, "Phred x 100",
     "none of the true SNVs of human and synth20 is above 40"},
    {"one_sided_percent", 10, "% of the alternate reads", k_hand_set},
    {"allele_bias_centi", 4500, "Phred x 100",
     "50x: five of 43 errors were true SNVs of Phred 39 to 43; looked at once"},
    {"allele_bias_one_sided_centi", 3300, "Phred x 100",
     "a PCR-free library of the scorer's trial, and sixteen clean sets"},
    {"allele_bias_low_mapping_centi", 2900, "Phred x 100",
     "human: true calls below 28.4, the first false ones above; NA12878 chr20:10001019"},
    {"allele_bias_mapping_quality", 59, "MQ", "50x beside four callers; looked at"},
    {"allele_bias_indel_centi", 6000, "Phred x 100", "aligners lose reads with long indels; hand-set"},
    {"allele_bias_read_bp", 150, "bp", "a usual read, where the sample's are not measured"},
    // Limits of QUAL and GQ: from a value on, at most so much. Lists of steps are value, limit, value, limit,
    // ...
    {"cap_snp", values<40, 40>, "QUAL, GQ", k_cap_sets},
    {"cap_snp_allele_bias", values<1300, 22, 2000, 14, 3000, 5>, "Phred x 100, limit", k_low_cap_sets},
    {"cap_snp_few_reads", values<-3, 30, -2, 21>, "minus alternate reads, limit", k_few_reads_sets},
    {"cap_snp_mapping", values<400, 27, 1000, 22, 2000, 12>, "(60 - MQ) x 100, limit", k_low_cap_sets},
    {"cap_indel", values<31, 30>, "QUAL, GQ",
     "as cap_snp; GQ also 30x, 50x, 2x250, 15x, 2x101, seeds 8130 to 8101"},
    {"cap_indel_allele_bias", values<1600, 17, 2000, 8>, "Phred x 100, limit", k_cap_sets},
    {"cap_indel_few_reads", values<-7, 25, -3, 22>, "minus alternate reads, limit", k_few_reads_sets},
    {"cap_indel_mapping", values<400, 13>, "(60 - MQ) x 100, limit", k_cap_sets},
    {"cap_strand_bias", values<1600, 21, 3000, 5>, "FS x 100, limit", k_cap_sets},
    {"cap_stutter", values<1'000, 17, 100'000, 13, 150'000, 11, 200'000, 8, 300'000, 6, 500'000, 4>,
     "reads per million, limit", "fitted: libraries pcr and old of chr20:1-5M, 15x and 30x"},
    {"cap_best_mapping_quality", 60, "MQ", "as mapping_ceiling"},
    // Phase.
    {"phase_reach_bp", 1000, "bp", "less than window_padding_bp"},
    {"phase_min_phred", 30, "Phred", k_phase_sets},
    {"phase_max_fragment_phred", 20, "Phred", "a fragment may be a chimera; hand-set"},
    {"phase_min_ratio", 4, "times", k_phase_sets},
    {"phase_max_earlier_sites", 16, "sites", "a fragment over more of them says no more"},
    // Reference blocks.
    {"reference_left_flank_bp", 4, "bp", k_hand_set},
    {"reference_right_flank_bp", 6, "bp", k_hand_set},
    {"reference_repeat_margin_bp", 512, "bp", "longer than a read; hand-set"},
    {"reference_clip_spread_bp", 3, "bp", "as clip_spread_bp"},
    {"reference_clip_phred", 20, "Phred", k_hand_set},
    {"gvcf_bands", values<1, 10, 20, 30, 40, 50, 60, 99>, "GQ", "default of an option"},
});

consteval int64_t records_number(std::string_view name) { return number_of(k_records_numbers, name); }
template <class T, size_t n>
consteval std::array<T, n> records_numbers(std::string_view name) {
    return numbers_of<T, n>(k_records_numbers, name);
}

}  // namespace gannet::variants
