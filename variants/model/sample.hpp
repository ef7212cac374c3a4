// SPDX-License-Identifier: MIT
// Provides the numbers of variants/sample/: what the first pass measures of a sample and how the caller
// follows it.
#pragma once

#include "variants/model/model_number.hpp"

namespace gannet::variants {

inline constexpr std::string_view k_memory = "bounds memory; hand-set";
inline constexpr std::string_view k_pcr_sets =
    "chosen on gannet simulate --library pcr and old, 5 Mb, with human, n101, 8x, 15x, 30x; looked at eleven "
    "times";
inline constexpr std::string_view k_systematic_sets =
    "hand-set on simulated libraries with natural faults and on clean sets, looked at throughout";

inline constexpr std::string_view k_deep_places =
    "hand-set; MHC haplotypes, diverged copies, exomes beside genomes and log-normal depth were looked at";

inline constexpr std::string_view k_stutter_sets =
    "looked at: gannet simulate with HG002's variants on chr20:1-5 Mb, five libraries; mhc-a to e of "
    "haplotype_trial";

inline constexpr auto k_sample_numbers = std::to_array<ModelNumber>({
    // The choice of windows, and the reads that count in them.
    {"profile_window_bp", 65'536, "bp", k_hand_set},
    {"profile_bp", 2'000'000, "bp", k_hand_set},
    {"profile_depth", 24, "x of profile_bp",
     "libraries that strata are chosen on: pcrfree-8, dirty-8, dirty-15, pcr-15"},
    {"profile_max_bp", 8'000'000, "bp", "as profile_depth"},
    {"profile_min_mapping_quality", 40, "Phred", k_hand_set},
    {"profile_max_read_bp", 1023, "bp", "size of a table of counts"},
    {"profile_margin_bp", 1024, "bp",
     "longer than a read and its gaps: reads from before the window are missing"},
    {"profile_variant_fragments", 3, "fragments", k_hand_set},
    {"profile_variant_part", 8, "1 in so many fragments", k_hand_set},
    {"profile_heterozygous_percent", 60, "% of the variants", "of a person; derivation as of contamination"},
    {"profile_max_unseen_depth", 31, "fragments", "derivation: beyond, one variant in 10^4 is not apparent"},
    {"profile_max_mismatches", 262'144, "per window", k_memory},
    {"profile_left_out_part", 8, "1 in so many reads", k_systematic_sets},
    {"profile_max_depth_percent", 150, "% of the usual depth",
     "beyond it may be copies of elsewhere; hand-set"},
    {"profile_max_usual_depth", 1023, "reads", "size of a table of counts"},
    {"profile_sequenced_part", 8, "1 in so much of the deep windows' depth", k_hand_set},
    {"profile_deep_percentile", 90, "% of the windows", k_hand_set},
    // The highest mapping quality of the aligner.
    {"mapping_ceiling", 60, "Phred",
     "that of gannet, bwa and minimap2, whose alignments the numbers are for"},
    {"mapping_ceiling_min_reads", 1000, "reads", k_hand_set},
    {"mapping_lowest_ceiling", 30, "Phred",
     "aligners that tell reads of one place from others give more: bwa aln 37, Bowtie2 42; hand-set"},
    {"mapping_ceiling_part", 10, "1 in so many reads", k_hand_set},
    // Contamination.
    {"contamination_max_ppm", 200'000, "ppm", "range of the option"},
    {"contamination_prior_one_reference_copy", values<1, 4>, "ratio",
     "derivation: population of constant size, allele frequencies x with density 1/x"},
    {"contamination_prior_two_reference_copies", values<1, 2>, "ratio", "the same derivation"},
    {"contamination_prior_two_variant_copies", values<1, 3>, "ratio of one copy",
     "a third are homozygous; hand-set"},
    {"contamination_min_depth", 12, "fragments", k_hand_set},
    {"contamination_max_depth", 127, "fragments", "size of the table of counts"},
    {"contamination_reference_part", 5, "1 in so many fragments", k_hand_set},
    {"contamination_unrelated_copies", values<300, 200, 100>, "weights of 0, 1, 2 copies",
     "the same derivation"},
    {"contamination_related_copies", values<150, 300, 150>, "weights of 0, 1, 2 copies",
     "half of the sample's haplotypes: derivation"},
    {"contamination_foreign_copies", values<0, 0, 600>, "weights of 0, 1, 2 copies",
     "no common variants: derivation"},
    {"contamination_population_priors", values<0, -1, -2>, "log10", k_hand_set},
    {"contamination_heterozygous_weights", values<1000, 10'000, 100'000, 1'000'000>, "weights",
     "the first is of a person, the others of hybrids, whose sites are all heterozygous; hand-set"},
    {"contamination_any_weights", values<12, 60, 300>, "weights: 2 to 33 % of the sites",
     "the first is of usual libraries, the others of single cells with allelic drop-out; hand-set"},
    {"contamination_any_priors", values<0, -1, -2>, "log10", "as contamination_population_priors"},
    {"contamination_min_gain", 5, "log10", k_hand_set},
    {"contamination_first_step_ppm", 2'000, "ppm", "resolution of the estimate"},
    {"contamination_step_percent", 10, "%", "resolution of the estimate"},
    {"contamination_max_error_ppm", 50'000, "ppm", k_hand_set},
    {"contamination_min_ppm", 5'000, "ppm", k_hand_set},
    {"contamination_max_estimate_ppm", 120'000, "ppm", k_hand_set},
    {"contamination_min_sites", 100, "sites", k_hand_set},
    {"foreign_prior_log10", -3, "log10, against a heterozygous SNV",
     "with copies of 0.4 % of a genome that differ in a hundredth (literature) it would be -1.4; lower, for "
     "not to lose true SNVs of mhc-a and mhc-c of haplotype_trial, which were looked at"},
    {"foreign_group_prior_log10", -1, "log10, against a group of linked SNVs",
     "as foreign_prior_log10, but copies that the reference lacks have groups: mhc-a and mhc-c of "
     "haplotype_trial were looked at"},
    {"extra_copy_prior_log10", 1, "log10, against a heterozygous site, where there are further copies",
     "copies differ in a hundredth (literature), the two haplotypes of a person in a thousandth; dirty 7961 "
     "and "
     "8461 were looked at"},
    {"foreign_lost_percent", 5, "% of the groups, whose alternate reads were partly lost",
     "mhc-a and mhc-c of haplotype_trial were looked at"},
    // Base qualities.
    {"quality_min_bases", 2'000'000, "bases",
     "100 mismatches of Q2 in 12 kb of real data misled it; hand-set"},
    {"quality_min_mismatches", 100, "mismatches", k_hand_set},
    {"quality_min_excess_centi", 176, "Phred x 100", "1.5 times as many errors; hand-set"},
    {"quality_foreign_variants_per_million", 1'000, "per Mb", "one SNV per kb of a person"},
    {"quality_lowest_measured", 10, "Phred", "12 kb of real data, as quality_min_bases"},
    {"quality_nearest", 3, "Phred", "12 kb of real data, as quality_min_bases"},
    {"quality_lowest", 2, "Phred", k_hand_set},
    // Damage of the DNA.
    {"damage_min_ppm", 200, "ppm", "Q32: qualities are seldom true beyond; hand-set"},
    {"damage_min_end_ppm", 2'000, "ppm", "errors of one cycle are not the same for complements; hand-set"},
    {"damage_lowest_end_quality", 2, "Phred",
     "an error is about as probable as not; ancient DNA at 2x, looked at"},
    {"damage_end_classes", 6, "classes of distance", "0, 1, 2, to 4, to 8, to 16; hand-set"},
    {"damage_min_quality", 20, "Phred",
     "real 2 x 151 bp of a trio: errors of late cycles of mate 2, looked at"},
    {"damage_min_deviations", 5, "standard deviations", k_hand_set},
    {"damage_min_ratio", 2, "of the complementary change", k_hand_set},
    // Expected depth.
    {"depth_gc_classes", 21, "classes", "steps of 5 %"},
    {"depth_dispersion_size", 44, "1 / variance of the relative depth", "15 %, as copies_slack_percent"},
    {"depth_variance_of_range", values<1000, 1820>, "ratio",
     "normal distribution: 1.349 standard deviations"},
    {"depth_bin_bp", 256, "bp", k_hand_set},
    {"depth_gc_reach_bp", 128, "bp", k_hand_set},
    {"depth_steps", 4, "per 1x", "resolution"},
    {"depth_max_steps", 1024, "steps", "256x; size of the table of counts"},
    {"depth_min_bins", 100, "bins", k_hand_set},
    {"depth_min", 2, "x", k_hand_set},
    {"two_copies_min_bins", 50, "bins", k_hand_set},
    {"two_copies_min_depth", 8, "fragments", k_hand_set},
    {"two_copies_difference_percent", 20, "% of the fragments", "40 to 60 % of them have the SNV; hand-set"},
    {"enriched_depth_percent", 175, "% of the expected depth", "between three and four copies"},
    {"enriched_max_deviations", 2, "standard deviations from a half", k_hand_set},
    {"enriched_min_windows", 5, "windows with balanced SNVs", k_hand_set},
    {"enriched_balanced_for_one", 3, "bins with balanced SNVs for one with others", k_deep_places},
    {"enriched_bins_for_snv", 2, "deep bins for one with an SNV", k_deep_places},
    {"captured_min_bins", 10, "bins", k_hand_set},
    {"captured_min_depth", 8, "x, of the bin of most bases", "chance alone makes lower depths uneven"},
    {"depth_quartiles", values<25, 75>, "% of the bins", "quartiles"},
    {"depth_uneven_percent", values<50, 160>, "% of the median, at the quartiles", k_hand_set},
    // Copies of a contig.
    {"contig_part", 128, "1 in so much of the genome", "human chromosomes have 1 in 70 and more; hand-set"},
    {"contig_windows", 8, "windows", k_hand_set},
    {"contig_min_windows", 3, "windows", k_hand_set},
    {"contig_extra_percent", 125, "% of the usual depth", "middle between two and three copies"},
    {"contig_extra_quartile", 4, "1 in so many windows may be below it", k_hand_set},
    {"contig_copy_percent", 50, "% of the usual depth", "one copy of two"},
    {"contig_max_copies", 4, "copies", "more are of organelles or repeats; hand-set"},
    {"primer_tolerance_bp", 5, "bp", "of samtools ampliconclip"},
    // Changes of the length of repeats.
    {"stutter_flank_bp", 5, "bp", k_hand_set},
    {"stutter_reach_bp", 4, "bp", "longer changes count as so many"},
    {"stutter_min_reads", 8, "reads", k_hand_set},
    {"stutter_min_reads_of_gaps", 6, "reads", k_stutter_sets},
    {"stutter_max_second_tenths", 3, "in 10 reads", k_hand_set},
    {"stutter_max_beyond_part", 5, "1 in so many reads", "their copies are not known; hand-set"},
    {"stutter_steps_per_mille", values<80, 530, 320, 40>, "per mille of changed reads: -2 to 2 copies",
     "deletions are more common, most of one copy, as in reads of Illumina; hand-set"},
    {"stutter_part_per_mille", 5, "per mille of changed reads: each other length", k_hand_set},
    {"stutter_max_percent", 60, "% of the reads", "two equal haplotypes would be more common; hand-set"},
    {"stutter_rounds", 6, "rounds", "the rates of four libraries do not move any more"},
    {"stutter_shortest_bp", values<6, 10, 12, 12, 15, 18>, "bp, by period 1 to 6", k_hand_set},
    {"stutter_class_ends_bp", values<9, 12, 15>, "bp",
     "classes of a feature: the scorer's weights were trained with them"},
    {"stutter_min_reads_of_class", 50, "reads", k_hand_set},
    // Gap-open qualities of the pair-HMM.
    {"gap_open_homopolymer",
     values<45, 45, 45, 45, 45, 44, 43, 41, 39, 37, 36, 34, 32, 30, 28, 27, 26, 25, 24, 23, 22>,
     "Phred by length", "log-linear in the length, as indel errors of Illumina reads are; hand-set"},
    {"gap_open_period_2", values<45, 45, 45, 43, 41, 39, 37, 36, 35, 33, 32, 31, 30, 29, 28, 27, 26>,
     "Phred by copies", "as gap_open_homopolymer"},
    {"gap_open_period_3_to_6", values<45, 45, 45, 43, 41, 39, 37, 36, 35, 33, 32, 31, 30, 29, 28, 27, 26>,
     "Phred by copies", "as gap_open_homopolymer"},
    {"gap_open_no_repeat", 45, "Phred", k_hand_set},
    {"gap_open_lowest", 10, "Phred", k_hand_set},
    {"gap_extension_part", 10, "1 in so many gaps", "the pair-HMM's price of a further base, Phred 10"},
    {"gap_prior_homopolymer", 25, "expected changes", k_pcr_sets},
    {"gap_prior_longer", 2, "expected changes", k_pcr_sets},
    {"gap_max_ratio", 100, "times the usual rate", "Phred 20; hand-set"},
    {"gap_min_ratio_part", 4, "1 in so many of the usual rate", "Phred 6; hand-set"},
    {"gap_certain_deviations", 2, "standard deviations, of periods 2 to 6", k_stutter_sets},
    {"stutter_many_phred", 5, "Phred",
     "three times the usual rate; 2.5 times in usual libraries of human's recipe: 2 of 1211 such calls there "
     "were wrong"},
    {"stutter_many_percent", 150, "% of the usual rate", k_hand_set},
    // Systematic errors.
    {"systematic_percent", values<6, 12, 22, 38, 60>, "% of a strand's reads",
     "log-normal with a median of 4 %, after Minoche et al. 2011"},
    {"systematic_per_mille", values<564, 282, 112, 31, 11>, "per mille of the places",
     "as systematic_percent"},
    {"systematic_other_strand_per_mille", 5, "per mille of the reads", k_hand_set},
    {"systematic_heterozygous_log", -10'152, "log10 x 65536, beside prior_snp_log10",
     "log10(0.7): SNVs of a person; hand-set"},
    {"systematic_snp_percent", values<77, 23>, "% of SNVs: other, repeats the base before",
     "share of SNVs, less than chance as transitions are more frequent; where it was counted is not "
     "recorded"},
    {"systematic_min_fragments", 2, "fragments", k_systematic_sets},
    {"systematic_min_part", 8, "1 in so many fragments", k_systematic_sets},
    {"systematic_max_tenths", 3, "in 10 fragments", k_systematic_sets},
    {"systematic_min_of_a_strand", 2, "fragments", k_systematic_sets},
    {"systematic_min_deviations", 3, "standard deviations", k_systematic_sets},
    {"systematic_min_sites", 5, "sites", k_systematic_sets},
    {"systematic_max_depth", 127, "fragments", "size of the table of counts"},
});

consteval int64_t sample_number(std::string_view name) { return number_of(k_sample_numbers, name); }
template <class T, size_t n>
consteval std::array<T, n> sample_numbers(std::string_view name) {
    return numbers_of<T, n>(k_sample_numbers, name);
}

}  // namespace gannet::variants
