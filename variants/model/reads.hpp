// SPDX-License-Identifier: MIT
// Provides the numbers of variants/reads/: windows, the reads that count, their qualities and their
// realignment.
#pragma once

#include "variants/model/model_number.hpp"

namespace gannet::variants {

inline constexpr std::string_view k_mapping_sets =
    "human, two of its recipe, 2 x 101, 15x, 8x, PCR, old library, dirty set: all looked at while it was "
    "chosen";
inline constexpr std::string_view k_realignment_sets =
    "hand-set; human and n101 were looked at, n101 call by call";
inline constexpr std::string_view k_run_sets =
    "hand-set; of 7,669 bases after such runs in eight real read sets 64 are wrong, where 21 are promised";

inline constexpr auto k_reads_numbers = std::to_array<ModelNumber>({
    {"window_bp", 8192, "bp", k_hand_set},
    {"window_padding_bp", 1024, "bp", "neighbouring windows see the same reads"},
    {"slice_margin_bp", 1024, "bp", "repeats and haplotypes beyond the padding"},
    {"window_depth_bin_bp", 128, "bp", "bounds memory; hand-set"},
    {"window_max_reads_per_depth_bin", 1024, "reads", "bounds memory: about 1,200x; hand-set"},
    {"min_mapping_quality", 20, "Phred", k_mapping_sets},
    {"min_mapping_quality_where_few_are_lower", 5, "Phred", k_mapping_sets},
    {"mapping_max_lower_percent", 50, "% of the depth along the read", k_mapping_sets},
    {"min_base_quality", 10, "Phred", k_hand_set},
    {"max_indel_bp", 500, "bp", "the padding of windows is made for it"},
    {"clip_min_good_bases", 8, "bases", k_hand_set},
    {"clip_min_good_quality", 15, "Phred", k_hand_set},
    {"mate_max_distance_bp", 4096, "bp", "mates further apart do not overlap"},
    {"adapter_max_match_bp", 10, "bp",
     "by chance no more bases fit; nine sets of chr20:1-10M beside GATK, looked at"},
    {"run_end_min_run_bp", 15, "bp", k_run_sets},
    {"run_end_reach_bp", 40, "bp", k_run_sets},
    {"run_end_quality", 12, "Phred", k_run_sets},
    {"realign_min_cost", 60, "Phred", "two mismatches of good bases"},
    {"realign_min_gain", 15, "Phred", k_realignment_sets},
    {"realign_min_kept_bp", 8, "bp", k_realignment_sets},
    {"realign_min_moved_bp", 12, "bp", k_realignment_sets},
    {"realign_max_moved_cost", 5, "Phred per base", "a mismatch in eight bases; as realign_min_gain"},
    {"realign_max_probe_cost", 45, "Phred", k_realignment_sets},
    {"realign_probe_bases", 12, "bases", k_realignment_sets},
    {"realign_min_quality", 10, "Phred", "as min_base_quality"},
    {"realign_max_insertion_part", 2, "1 in so much of the read", k_realignment_sets},
    {"realign_gap_price", 45, "Phred", k_realignment_sets},
    {"realign_gap_bases_per_phred", 2, "bases", k_realignment_sets},
    {"realign_tandem_price", 25, "Phred", k_realignment_sets},
    {"realign_tandem_bases_per_phred", 4, "bases", k_realignment_sets},
    {"realign_variant_price", 30, "Phred", "one SNV in 1,000 bp"},
    {"realign_min_sharing", 3, "reads", "sets beside GATK of 23 November; looked at"},
    {"realign_min_sharing_tenths", 3, "in 10 reads", "as realign_min_sharing"},
    {"realign_max_compared", 128, "reads", "deep positions have more of the same"},
});

consteval int64_t reads_number(std::string_view name) { return number_of(k_reads_numbers, name); }

}  // namespace gannet::variants
