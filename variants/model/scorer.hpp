// SPDX-License-Identifier: MIT
// Provides the numbers of variants/scorer/: the distances and thresholds of the network's features, and which
// sites it is not asked of.
#pragma once

#include "variants/model/model_number.hpp"

namespace gannet::variants {

inline constexpr std::string_view k_feature =
    "defines a feature (docs/scorer.md): the network's weights were trained with it";
inline constexpr std::string_view k_stratum =
    "defines the strata of the scorer: its weights and strata were made with it";

inline constexpr auto k_scorer_numbers = std::to_array<ModelNumber>({
    {"feature_indel_reach_bp", 5, "bp", k_feature},
    {"feature_neighbour_bp", 200, "bp", k_feature},
    {"feature_near_differences_bp", 10, "bp", k_feature},
    {"feature_longest_run_bp", 15, "bp", k_feature},
    {"feature_repeat_margin_bp", 24, "bp", k_feature},
    {"feature_doubtful_mapping_quality", 50, "Phred", k_feature},
    {"feature_near_end_bp", 10, "bp", k_feature},
    {"feature_depth_reach_bp", 250, "bp", k_feature},
    {"feature_near_bp", 100, "bp", k_feature},
    {"feature_far_bp", 500, "bp", k_feature},
    {"feature_clips_near_bp", 10, "bp", k_feature},
    {"feature_clips_far_bp", 100, "bp", k_feature},
    {"feature_homopolymer_reach_bp", 2, "bp", k_feature},
    {"feature_gc_reach_bp", 50, "bp", k_feature},
    {"feature_min_linking_reads", 2, "reads", k_feature},
    {"feature_min_linked_percent", 70, "% of the reads", k_feature},
    {"feature_min_opposing_percent", 50, "% of the reads", k_feature},
    {"feature_max_unlinked_percent", 20, "% of the reads", k_feature},
    {"feature_reported_qualities", values<40, 30, 20, 12>, "Phred", k_feature},
    {"feature_systematic_offset_log10", 8, "log10", k_feature},
    {"hidden_copy_depth_percent", 125, "% of the usual depth", k_stratum},
    {"hidden_copy_max_partial_alleles", 6, "SNVs within feature_far_bp", k_stratum},
    {"scored_max_read_bp", 300, "bp, of the usual read", "its training had reads of up to about this length"},
    {"settled_min_fragments", 10, "fragments", k_hand_set},
    {"settled_max_bias_centi", 1300, "Phred x 100", "one heterozygous site of twenty has more"},
    {"settled_min_mapping_quality", 58, "MQ", k_hand_set},
    {"settled_max_partial_alleles", 14, "SNVs within feature_far_bp", k_hand_set},
    {"settled_depth_thirds", values<2, 4>, "thirds of the usual depth", k_hand_set},
    {"settled_max_unused_tenths", 1, "in 10 of the depth", k_hand_set},
    {"filtered_odds_log10", -1, "log10", k_hand_set},
    {"corrections_rounds", 16, "rounds", "far more than corrections that agree need"},
});

consteval int64_t scorer_number(std::string_view name) { return number_of(k_scorer_numbers, name); }
template <class T, size_t n>
consteval std::array<T, n> scorer_numbers(std::string_view name) {
    return numbers_of<T, n>(k_scorer_numbers, name);
}

}  // namespace gannet::variants
