// SPDX-License-Identifier: MIT
// Provides every number that decides how reads are paired, what a mapping quality is, and which alignments
// are reported beside the primary one: name, value, unit, source. The op pairing and the aligner both use
// these, and no others.
//
// Scores are in units of the scoring (a match scores 1 by default); "1/16" marks those in 1 / k_score_unit of
// one. What counts mismatches is multiplied by scoring.mismatch_loss(), so that it means the same with every
// scoring. Sources: "bwa mem" is that program's value (0.7.17); "derived" is worked out where it stands; a
// "heuristic" was set by hand, and docs/alignment.md has the error rates of the whole on simulated genomes.
#pragma once

#include "kernels/candidates/candidate.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gannet::kernels {

// --- Mapping quality (mapping_quality.hpp has the formula). Phred, 0 to 60.

/// Per two mismatches of margin: a read that fits elsewhere with one mismatch more (22 Phred) is wrong about
/// once in 170 times. With the default scores it is 4.5 Phred per score unit. Heuristic.
inline constexpr int32_t k_phred_per_two_mismatches = 45;
/// 1/16 Phred: round(160 log10(k!)) for k = 0..64 differences, what they are cheaper than the first one each.
/// A read's rate of differences is not known beforehand: with all rates equally probable, k of n bases differ
/// with probability 1 / ((n + 1) C(n, k)), and the next one makes that about n / (k + 1) times less probable.
/// So where a read has ten differences at its best place, as in dense haplotypes, one more means less than
/// the first of a read that fits throughout, but is no sign of a foreign sequence. Beyond 64 each costs as
/// much as the last. Derived.
using DifferenceDiscount = std::array<int16_t, 65>;
// clang-format off
inline constexpr DifferenceDiscount k_difference_discount{
    0, 0, 48, 125, 221, 333, 457, 592, 737, 890, 1050, 1216, 1389, 1567, 1750, 1939, 2131, 2328, 2529,
    2734, 2942, 3153, 3368, 3586, 3807, 4031, 4257, 4486, 4717, 4951, 5188, 5426, 5667, 5910, 6155,
    6402, 6651, 6902, 7155, 7410, 7666, 7924, 8184, 8445, 8708, 8972, 9238, 9506, 9775, 10045, 10317,
    10591, 10865, 11141, 11418, 11697, 11976, 12257, 12539, 12823, 13107, 13393, 13680, 13968, 14257};
// clang-format on
inline constexpr int32_t k_discounts_per_phred = 16;
/// What the mate can add to the read's own evidence: pairing alone never makes a read certain. bwa mem.
inline constexpr int32_t k_max_phred_by_mate = 40;
/// Short alignments match by chance: a human genome of 6.2e9 bases on both strands has about one exact match
/// of 16 bases (log4 of it) to any sequence. Up to the score of 20 matches nothing is certain; each further
/// matched base, which makes a chance match four times (6 Phred) rarer, counts 2 Phred only, as bases of a
/// genome are not random. A mate that makes a proper pair is worth 20. Heuristics.
inline constexpr int32_t k_chance_matches = 20;
inline constexpr int32_t k_phred_per_base_beyond_chance = 2;
inline constexpr int32_t k_phred_of_proper_mate = 20;
/// No margin excludes a locus that no seed found, or that the reference lacks. bwa mem.
inline constexpr int64_t k_max_mapping_quality = 60;
/// round(10 log10(n)) for n = 1..16 near-equal candidates: the chance that one of them is right. Derived.
using CrowdPenalty = std::array<int8_t, 17>;
inline constexpr CrowdPenalty k_crowd_penalty{0, 0, 3, 5, 6, 7, 8, 8, 9, 10, 10, 10, 11, 11, 11, 12, 12};

// --- Which candidates are chosen.

/// A read whose best alignment scores less is unmapped. bwa mem -T; an option.
inline constexpr int32_t k_default_minimum_score = 30;
/// Matches. Reads of 36 bp with a gap would not reach 30: what a read may lose at least of its perfect score,
/// a gap and two mismatches, and the least score even so, that of bwa mem's shortest seed. Heuristic.
inline constexpr int32_t k_short_read_loss = 17;
inline constexpr int32_t k_short_read_minimum = 19;
struct MinimumScore {
    int32_t score = k_default_minimum_score;
    bool lower_for_short_reads = true;  ///< of less than 47 bp, with the usual scores
    /// Of a read of this length, where a match scores `match`.
    constexpr int32_t of(uint32_t read_bp, int32_t match) const {
        const int32_t bases = static_cast<int32_t>(read_bp) - k_short_read_loss;
        const int32_t of_short = match * (bases > k_short_read_minimum ? bases : k_short_read_minimum);
        return lower_for_short_reads && of_short < score ? of_short : score;
    }
};
/// Off the total of two reads that make no proper pair. bwa mem -U; an option.
inline constexpr int32_t k_default_unpaired_penalty = 17;
/// bp: two reads farther apart are no pair, whatever the model of inserts says. bwa mem.
inline constexpr int32_t k_max_insert_bp = 10'000;
/// 1/16. round(-16 * 0.721 * ln(erfc(z / sqrt(2)))) for z = 0, 1/4, ..., 8: the two-sided tail of the normal
/// distribution. A unit of score is two bits: 0.721 = 1 / ln 4. Formula of bwa mem.
using TailPenalty = std::array<int16_t, 33>;
inline constexpr TailPenalty k_tail_penalty{0,   3,   6,   9,   13,  18,  23,  29,  36,  43,  51,
                                            59,  68,  78,  89,  100, 112, 124, 137, 151, 166, 181,
                                            197, 214, 231, 249, 268, 288, 308, 329, 350, 373, 396};
/// 1/16. The margin over what was left out of a read where nothing was.
inline constexpr int32_t k_nothing_left_out = INT32_MAX / 4;

// --- Rescue: reads that are searched for beside their mates (kernels/rescue).

/// Candidates of a read near which its mate is searched, best first. Heuristic (bwa mem: 50).
inline constexpr uint32_t k_max_rescues = 6;
/// bp: shorter reads are not searched for. Derived: one block of the op rescue.
inline constexpr uint32_t k_min_rescued_bp = 32;

// --- The search for pairs that the limits of seeding left out (align/pairing/pair_search.hpp).

/// Mismatches: pairs are found that have less than so many more than the chosen one. Derived there.
inline constexpr int32_t k_searched_mismatches = 2;
/// 1/16. A pair whose total is lower by no more is near-equal: with the default scores a mismatch of the
/// highest base quality loses as much, rounded up. Derived from k_quality_weights.
inline constexpr int32_t k_usual_mismatch_reach = 7 * k_score_unit;
/// Entries that are listed of one read, entries of the other one that are looked at for each of its two
/// parts, and pairs that are compared. Heuristics: with these, two thirds of the searches of a genome of
/// 1,000 Mb are complete, and all but few of one of 20 Mb.
inline constexpr size_t k_max_listed = 1'024;
inline constexpr size_t k_max_looked_at = 4'096;
inline constexpr size_t k_max_pairs = 4'096;

/// Entries of a seed within a supplementary alignment that are compared (align/pairing/part_search.hpp), of
/// more those with the nearest contexts. Heuristic.
inline constexpr size_t k_part_entries = 16;

// --- What is reported beside the primary alignment.

/// Supplementary alignments of a read. Heuristic.
inline constexpr uint32_t k_max_supplementaries = 4;
/// Alignments to ALT contigs beside one to the primary assembly, of a read. Heuristic.
inline constexpr uint32_t k_max_alternate_hits = 4;
/// A record lists its other hits (tag XA) only where there are at most so many; the second number where one
/// of them is on an ALT contig. bwa mem -h 5,200.
inline constexpr uint32_t k_max_other_hits = 5;
inline constexpr uint32_t k_max_other_hits_with_alternates = 200;
/// Is a hit listed beside an alignment with this score? At four fifths of it or more. bwa mem.
constexpr bool is_listed_beside(int32_t score, int32_t alignment_score) {
    return 5 * int64_t{score} >= 4 * int64_t{alignment_score};
}

// --- The model of insert sizes (align/insert_size_model.hpp). bp.

/// Templates of a lane that the model is estimated from: the first so many, whatever the batches. Heuristic.
inline constexpr uint64_t k_insert_sample_templates = 1 << 15;
/// Confident pairs below which the fallback is used. Heuristic (bwa mem: 10).
inline constexpr size_t k_min_inserts = 32;
/// A pair counts when no other candidate of either read is within so many mismatches of its best one.
/// Heuristic: with the default scores that is a mapping quality of 60.
inline constexpr int32_t k_confident_mismatches = 3;
/// Inserts further than this many interquartile ranges from the quartiles do not count towards mean and
/// deviation: they are chimeras and wrong alignments. bwa mem.
inline constexpr int32_t k_outlier_ranges = 2;
/// The limits of a proper pair: the wider one of interquartile ranges beyond the quartiles, and standard
/// deviations from the mean. bwa mem.
inline constexpr int32_t k_proper_ranges = 3;
inline constexpr int32_t k_proper_deviations = 4;
/// Without a model: wide, so that the pairs of most libraries are proper. Heuristics.
inline constexpr int32_t k_fallback_mean_bp = 400;
inline constexpr int32_t k_fallback_sd_bp = 200;
inline constexpr int32_t k_fallback_low_bp = 1;
inline constexpr int32_t k_fallback_high_bp = 1'200;

}  // namespace gannet::kernels
