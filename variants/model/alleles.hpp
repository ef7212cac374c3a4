// SPDX-License-Identifier: MIT
// Provides the numbers of variants/alleles/: candidates, extra copies, active regions, assembly, haplotypes
// and likelihoods.
#pragma once

#include "variants/model/model_number.hpp"

namespace gannet::variants {

inline constexpr std::string_view k_clip_sets = "hand-set; planted indels (seeds 911, 912) were looked at";
inline constexpr std::string_view k_bridge_sets =
    "mhc-a to mhc-e and mhc-g of haplotype_trial were looked at";
inline constexpr std::string_view k_repeat_sets =
    "eleven sets beside GATK, looked at; helps elsewhere (tests/accuracy/planted_repeats.tsv)";
inline constexpr std::string_view k_gap_for_snv_sets = "nine sets of chr20:1-10M beside GATK, looked at";
inline constexpr std::string_view k_border_sets =
    "nine sets of chr20:1-10M beside GATK, looked at; helps elsewhere (tests/accuracy/planted_repeats.tsv)";
inline constexpr std::string_view k_haplotype_sets =
    "hand-set; mhc-a and mhc-c of haplotype_trial, dirty sets and human were looked at";
inline constexpr std::string_view k_join_sets = "hand-set; human and n101 were looked at";

inline constexpr auto k_alleles_numbers = std::to_array<ModelNumber>({
    // Candidates.
    {"candidate_min_support", 2, "reads", k_hand_set},
    {"candidate_snp_percent", 10, "% of the reads", k_hand_set},
    {"candidate_indel_percent", 8, "% of the reads", k_hand_set},
    {"candidate_long_repeat_bp", 12, "bp", k_join_sets},
    {"candidate_anchor_bp", 3, "bp", k_join_sets},
    {"candidate_overhang_bp", 400, "bp", "within the slice of the window"},
    {"repeat_end_max_shift_bp", 6, "bp", k_border_sets},
    {"repeat_end_min_repeat_bp", 12, "bp", k_border_sets},
    {"repeat_end_max_repeat_bp", 512, "bp", "longer than a read; hand-set"},
    // Clipped reads.
    {"clip_spread_bp", 3, "bp", k_hand_set},
    {"clip_min_reads", 2, "reads", k_hand_set},
    {"clip_min_consensus_bp", 12, "bp", k_clip_sets},
    {"clip_min_percent", 5, "% of the reads", k_clip_sets},
    {"clip_assembled_percent", 12, "% of the reads", k_hand_set},
    {"clip_one_sided_bp", 30, "bp", k_clip_sets},
    {"clip_min_overlap_bp", 12, "bp", k_clip_sets},
    {"clip_rival_overlap_ratio", 2, "times", k_hand_set},
    {"clip_end_distance_bp", 20, "bp", k_clip_sets},
    {"clip_min_repeat_bp", 12, "bp", k_repeat_sets},
    {"clip_max_repeat_bp", 500, "bp", "as max_indel_bp"},
    {"clip_max_interruptions", 8, "SNVs", "bounds the work; hand-set"},
    {"clip_bases_per_mismatch", 25, "bp", k_clip_sets},
    {"clip_mismatch", 4, "matches", "as the aligner's"},
    {"clip_max_drop", 20, "matches", "as the aligner's mismatches: five"},
    {"clip_min_margin", 5, "matches", "one mismatch instead of a match"},
    {"clip_max_groups", 3, "groups", "two haplotypes and what is neither; hand-set"},
    {"consensus_min_quality", 10, "Phred", "as min_base_quality"},
    {"consensus_majority_percent", 75, "% of the base qualities", k_clip_sets},
    {"consensus_doubt_reach_bp", 10, "bp", k_clip_sets},
    {"consensus_max_doubtful", 3, "columns", k_clip_sets},
    {"consensus_disagreeing_part", 8, "1 in so many bases", k_clip_sets},
    // Insertions that the mates of reads beside them bridge.
    {"bridge_reach_bp", 1000, "bp", "fragments are shorter, and the padding of windows holds it"},
    {"bridge_flank_bp", 60, "bp", k_bridge_sets},
    {"bridge_seed_flank_bp", 20, "bp", k_bridge_sets},
    {"bridge_min_overlap_bp", 25, "bp", k_bridge_sets},
    {"bridge_short_bp", 4, "bp", "shorter than a unit of most repeats"},
    {"bridge_min_distinct", 8, "sequences of bridge_short_bp", k_bridge_sets},
    {"bridge_word_bp", 16, "bp", k_bridge_sets},
    {"bridge_min_votes", 2, "mates", k_bridge_sets},
    {"bridge_fewest_votes", 1, "mates", "where there is no way otherwise, as bridge_min_votes"},
    {"bridge_majority_percent", 60, "% of the mates", k_bridge_sets},
    {"bridge_max_mates", 256, "mates", "bounds the work; hand-set"},
    {"bridge_max_tries", 4, "pairs of clips", "bounds the work; hand-set"},
    // Copies that the reference lacks.
    {"copies_max", 8, "copies", "more are counted as so many"},
    {"copies_bases_per_observation", 200, "bp", "neighbouring bases have the same reads; hand-set"},
    {"copies_slack_percent", 15, "% of the depth", k_hand_set},
    {"copies_bins_alike", 20, "bins",
     "5 kb, of depth that varies by more than copies_slack_percent; log-normal depth along HG002's chr20, "
     "standard deviations 0.2 to 0.8 over 1 to 50 kb, was looked at"},
    {"copies_max_observations", 400, "per bin", "beyond, errors are not those of chance; hand-set"},
    {"copies_change_log10", -5, "log10", k_hand_set},
    {"copies_first_unusual_log10", -4, "log10", k_hand_set},
    {"copies_max_allele_log10", 2, "log10", k_hand_set},
    {"copies_max_allele_reads", 128, "reads", k_hand_set},
    {"copies_alleles_per_read", 3, "alleles", "sets of 2 x 250 beside GATK, looked at"},
    {"copies_as_the_stretch_log", -2999, "log10 x 65536",
     "log10(0.9): 8x thirds of human, n101, dirty sets, looked at"},
    {"copies_otherwise_log10", -1, "log10", "one in ten, as copies_as_the_stretch_log"},
    {"hidden_pair_reach", 32, "sites", "a fragment rarely covers more of one copy"},
    {"hidden_min_together", 3, "fragments", k_hand_set},
    {"hidden_min_informative", 4, "fragments", k_hand_set},
    {"hidden_min_per_error", 8, "1 in so many fragments", k_hand_set},
    {"hidden_min_per_error_of_group", 4, "1 in so many fragments", k_hand_set},
    {"hidden_min_group", 3, "alleles", k_hand_set},
    {"hidden_min_alleles_per_mb", 1500, "per Mb", k_hand_set},
    {"hidden_group_margin_bp", 200, "bp", k_hand_set},
    {"hidden_max_share_percent", 130, "% of what the copies leave", k_hand_set},
    {"hidden_refinements", 3, "rounds", k_hand_set},
    {"hidden_max_rounds", 3, "rounds", k_hand_set},
    {"high_depth_min_alleles", 4, "SNV alleles", k_hand_set},
    {"high_depth_min_alleles_per_10kb", 15, "per 10 kb", k_hand_set},
    {"high_depth_min_support", 3, "reads", k_hand_set},
    {"high_depth_min_depth_percent", 125, "% of the usual depth", k_haplotype_sets},
    {"high_depth_resolved_reach_bp", 100, "bp", k_hand_set},
    {"high_depth_resolved_percent", 70, "%", k_hand_set},
    {"high_depth_max_ratio", 6, "times the sample's depth", "mitochondria and amplicons; hand-set"},
    {"high_depth_partial_percent", 85, "% of the reads", k_hand_set},
    {"high_depth_quartile_percent", 25, "% of the positions", "a copy may cover most of the window"},
    {"high_depth_quartile_variance", values<4, 9>, "ratio of the depth",
     "derivation: the lower quartile is 2/3 of a deviation low"},
    // More copies of the sample's own.
    {"gain_min_bp", 4096, "bp", "half of a window; hand-set"},
    {"gain_min_odds_log10", -2, "log10, of the counts and the density",
     "hand-set; planted duplications of HG002's chr20, diverged copies (seeds 611, 612) and mhc-b of "
     "haplotype_trial were looked at"},
    {"gain_own_percent", values<30, 30, 40>, "% on one copy, more, all",
     "three haplotypes of a population of constant size"},
    {"gain_foreign_percent", values<75, 15, 10>, "% on one copy, more, all",
     "a copy that differs from the sample's more than these from each other; hand-set"},
    // Tandem copies that pairs over their junction show.
    {"tandem_min_fragments", 2, "fragments", "one may be a chimera"},
    {"tandem_min_percent", 30, "fragments in % of the depth of a copy",
     "about as many are over any place; mhc-f of haplotype_trial was looked at"},
    {"tandem_max_gain", 2, "copies more than usual", "one of each haplotype"},
    {"tandem_bp_per_allele", 1000, "bp", "two haplotypes differ in a thousandth (literature)"},
    {"tandem_max_count_odds_log10", 1, "log10", k_hand_set},
    {"tandem_min_odds_log10", -2, "log10",
     "hand-set; planted tandem copies, identical and diverged, were looked at"},
    // Active regions.
    {"region_snp_margin_bp", 8, "bp", k_hand_set},
    {"region_indel_margin_bp", 15, "bp", k_hand_set},
    {"region_indel_reach_bp", 200, "bp", "windows agree: an indel further back decides nothing"},
    {"region_cut_grid_bp", 64, "bp", k_hand_set},
    {"region_uncut_reach_bp", 96, "bp", k_hand_set},
    {"region_max_simple_snps", 3, "SNVs", k_hand_set},
    {"region_gap_shift_bp", 64, "bp", k_gap_for_snv_sets},
    {"region_min_common_tenths", 7, "in 10 reads", k_gap_for_snv_sets},
    {"region_read_margin_bp", 5, "bp", k_hand_set},
    {"region_long_indel_reach_bp", 100, "bp", "most of a read; hand-set"},
    {"region_assembled_shift_bp", 400, "bp", "about the length of a read"},
    {"region_max_depth", 250, "reads", "bounds the work; hand-set"},
    // Assembly, after Iqbal et al. 2012 and Poplin et al. 2017.
    {"assembly_kmer_sizes", values<25, 35, 47, 61, 77, 95>, "bp",
     "up to 95 for tandem copies longer than 61 bp; hand-set"},
    {"assembly_flank_bp", 110, "bp", "more than the largest k"},
    {"assembly_min_quality", 10, "Phred", "as min_base_quality"},
    {"assembly_min_count", 2, "reads", k_hand_set},
    {"assembly_max_extra_bp", 250, "bp", k_hand_set},
    {"assembly_max_steps", 20'000, "steps", "bounds the work; hand-set"},
    {"assembly_max_paths", 8, "haplotypes", k_hand_set},
    // Haplotypes.
    {"haplotypes_max_alleles", 40, "alleles",
     "bounds the work: dense haplotypes have 30 in 130 bp; mhc-a and mhc-c of haplotype_trial were looked "
     "at"},
    {"haplotypes_max", 16, "haplotypes", "bounds the work; hand-set"},
    {"haplotypes_realign_flank_bp", 40, "bp", k_hand_set},
    {"haplotypes_min_spanning", 5, "reads", k_hand_set},
    {"haplotypes_min_spanning_part", 8, "1 in so many reads", k_hand_set},
    {"haplotypes_max_product_alleles", 4, "alleles", k_hand_set},
    {"haplotypes_always_product_alleles", 2, "alleles", k_hand_set},
    {"haplotypes_min_combination", 2, "reads", k_hand_set},
    {"haplotypes_max_joined", 6, "combinations", k_join_sets},
    {"haplotypes_max_with_joined", 12, "haplotypes", k_join_sets},
    {"haplotypes_min_joined_bp", 20, "bp", k_join_sets},
    {"haplotypes_assembled_support", 3, "reads", "assembly asked for several reads"},
    {"haplotypes_min_snp_quality", 10, "Phred", "as min_base_quality"},
    {"haplotypes_max_realigned_alleles", 64, "alleles", "size of a set of alleles"},
    {"forced_max_alleles", 8, "alleles of a record", k_hand_set},
    // Likelihoods.
    {"segment_pad_bp", 20, "bp", k_hand_set},
    {"segment_max_repeat_bp", 120, "bp", k_hand_set},
    {"segment_clip_part_wrong", 4, "1 in so many bases", "two haplotypes differ less; hand-set"},
    {"segment_min_bp", 12, "bp", k_hand_set},
    {"segment_haplotype_pad_bp", 12, "bp", k_hand_set},
    {"segment_max_slack_bp", 400, "bp", "within the slice of the window"},
    {"segment_min_quality", 6, "Phred", "a base more often wrong than right would be evidence for others"},
    {"segment_min_fit_log10", -14, "log10", k_hand_set},
});

consteval int64_t alleles_number(std::string_view name) { return number_of(k_alleles_numbers, name); }
template <class T, size_t n>
consteval std::array<T, n> alleles_numbers(std::string_view name) {
    return numbers_of<T, n>(k_alleles_numbers, name);
}

}  // namespace gannet::variants
