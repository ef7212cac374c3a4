// SPDX-License-Identifier: MIT
// Provides the numbers of variants/sequence/ and variants/arithmetic/: normal form of alleles, repeats around
// them, exact tests.
#pragma once

#include "variants/model/model_number.hpp"

namespace gannet::variants {

inline constexpr std::string_view k_strata =
    "defines the strata of the scorer: its weights and strata were made with it";

inline constexpr auto k_sequence_numbers = std::to_array<ModelNumber>({
    {"base_quality_cap", 45, "Phred", "higher base qualities are overestimates; hand-set"},
    {"allele_match", 20, "score", k_hand_set},
    {"allele_mismatch", -15, "score", k_hand_set},
    {"allele_gap_open", -25, "score", k_hand_set},
    {"allele_gap_extend", -1, "score", k_hand_set},
    {"allele_max_shift_bp", 1400, "bp", "so that the padding of a window is enough"},
    {"repeat_min_repeated_bp", 3, "bp", k_hand_set},
    {"copy_min_bp", 16, "bp", "shorter bases resemble others by chance"},
    {"copy_bases_per_difference", 8, "bases", "hand-set; mhc-a to j and planted copies were looked at"},
    {"copies_beside", 8, "copies", "on each side; hand-set"},
    {"repeat_counted_bp", 400, "bp", "the prior of indels is at its highest long before"},
    {"context_reach_bp", 128, "bp", "more than what the strata's definitions read"},
    {"context_homopolymer_side_bp", 30, "bp", k_strata},
    {"context_repeat_side_bp", 60, "bp", k_strata},
    {"context_homopolymer_reach_bp", 2, "bp", k_strata},
    {"context_min_homopolymer_bp", 6, "bp", k_strata},
    {"context_min_repeat_bp", 10, "bp", k_strata},
    {"context_min_copies", 3, "copies", k_strata},
    {"exact_test_max_count", 500, "reads", "precision: larger counts are scaled down"},
    {"exact_test_rounding", 8, "log10 x 65536", "precision: tables as likely as the observed one"},
});

consteval int64_t sequence_number(std::string_view name) { return number_of(k_sequence_numbers, name); }

}  // namespace gannet::variants
