// SPDX-License-Identifier: MIT
// Provides what quality control counts of alignment records: plain sums, which can be added in any order.
#pragma once

#include "data/record.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace gannet::pipeline::qc {

/// Records that are not the only one of their read.
inline constexpr uint16_t k_is_extra = data::k_flag_secondary | data::k_flag_supplementary;

/// How often each value from 0 on was seen; grows as needed.
class Histogram {
  public:
    void add(size_t value, uint64_t times = 1) {
        if (value >= counts_.size()) grow(value);
        counts_[value] += times;
    }
    uint64_t operator[](size_t value) const { return value < counts_.size() ? counts_[value] : 0; }
    size_t size() const { return counts_.size(); }  ///< one more than the largest value
    uint64_t total() const;
    uint64_t sum() const;  ///< of the values
    void merge(const Histogram& other);
    bool operator==(const Histogram& other) const = default;

  private:
    void grow(size_t value);  // apart, so that add() is small

    std::vector<uint64_t> counts_;
};

/// Which read of its template, as `samtools stats` has it: a read that is not paired is a first one.
enum Fragment : size_t { k_first, k_last, k_neither };
inline constexpr size_t k_fragments = 2;  ///< those that have a table per cycle
inline constexpr size_t k_strands = 2;    ///< 0 forward, 1 reverse

/// Cycles that have counts of their own; of longer reads the first ones.
inline constexpr size_t k_max_cycles = 10'000;
/// Fragments longer than this are counted as of this length in the insert sizes of `samtools stats`.
inline constexpr size_t k_max_stats_insert = 8000;
/// Indels up to this length are in its table of lengths.
inline constexpr size_t k_max_stats_indel = 300;

inline constexpr size_t k_fastqc_adapters = 5;  ///< that are counted

/// Of the primary records of first or last fragments, per cycle of the sequencer.
struct CycleCounts {
    std::vector<std::array<uint64_t, 256>> qualities;
    /// A, C, G, T as the record has them, so that reverse ones are complements of what was read.
    std::array<std::vector<std::array<uint64_t, 4>>, k_strands> bases;
    std::array<Histogram, k_strands> lengths;
    std::map<uint32_t, Histogram> gc;         ///< per read length: reads by their C and G
    std::map<uint32_t, Histogram> gc_starts;  ///< the same of the reads' starts, of the lengths FastQC takes
    Histogram mean_quality;                   ///< reads by mean base quality, rounded down
    std::array<Histogram, k_fastqc_adapters> adapters;  ///< reads by the cycle where they first have one

    uint64_t reads() const { return lengths[0].total() + lengths[1].total(); }
    size_t cycles() const { return qualities.size(); }
    void merge(const CycleCounts& other);
    bool operator==(const CycleCounts& other) const = default;
};

/// Picard's categories of reads: FIRST_OF_PAIR, SECOND_OF_PAIR, UNPAIRED. Primary records only.
enum Category : size_t { k_first_of_pair, k_second_of_pair, k_unpaired, k_categories };

/// Fields of CollectAlignmentSummaryMetrics before they are divided by each other.
struct AlignmentSummary {
    uint64_t reads = 0;
    uint64_t aligned = 0;
    uint64_t passing = 0;  ///< not failed
    uint64_t forward = 0;
    uint64_t improper = 0;
    uint64_t in_pairs = 0;
    uint64_t judged_pairs = 0;  ///< the denominator of PCT_CHIMERAS
    uint64_t chimeras = 0;
    uint64_t adapters = 0;
    uint64_t soft_clipped = 0;
    uint64_t hard_clipped = 0;
    uint64_t clipped_at_3_prime = 0;        ///< bases
    uint64_t reads_clipped_at_3_prime = 0;  ///< reads that have such
    uint64_t aligned_bases = 0;
    uint64_t hq_reads = 0;
    uint64_t hq_bases = 0;
    uint64_t hq_q20_bases = 0;
    uint64_t mismatches = 0;
    uint64_t indels = 0;
    Histogram hq_mismatches;  ///< aligned records by their mismatches
    Histogram lengths;
    Histogram aligned_lengths;
    Histogram bad_cycles;  ///< mismatches and no-calls per cycle, cycles counted as Picard does

    void merge(const AlignmentSummary& other);
    bool operator==(const AlignmentSummary& other) const = default;
};

/// Bases of Picard CollectWgsMetrics: those that it leaves out by its first reason to, and the others, whose
/// depth is in GoodDepthSum.
struct GoodBaseCounts {
    uint64_t of_adapters = 0;
    uint64_t of_low_mapping_quality = 0;
    uint64_t of_duplicates = 0;
    uint64_t without_mate = 0;
    uint64_t aligned = 0;  ///< of the records that are left, good or not, where the reference is known

    void merge(const GoodBaseCounts& other);
    bool operator==(const GoodBaseCounts& other) const = default;
};

/// Of Picard CollectGcBiasMetrics: reads by the percent of C and G in the 100 bases where they begin.
struct GcBiasCounts {
    uint64_t clusters = 0;
    uint64_t aligned = 0;
    std::array<uint64_t, 101> reads{};
    std::array<uint64_t, 101> bases{};
    std::array<uint64_t, 101> errors{};

    void merge(const GcBiasCounts& other);
    bool operator==(const GcBiasCounts& other) const = default;
};

/// Of Picard CollectHsMetrics, with the targets as baits: bases, if nothing else is said.
struct TargetCounts {
    uint64_t aligned = 0;  ///< of records that passed
    uint64_t unique = 0;   ///< of these, no duplicates
    uint64_t on_bait = 0;
    uint64_t near_bait = 0;
    uint64_t off_bait = 0;
    uint64_t of_adapters = 0;
    uint64_t of_low_mapping_quality = 0;
    uint64_t of_low_quality = 0;
    uint64_t overlapping = 0;
    uint64_t off_target = 0;
    uint64_t on_target = 0;
    uint64_t on_target_from_pairs = 0;
    uint64_t pairs = 0;  ///< with a first read that meets a bait
    uint64_t unique_pairs = 0;

    void merge(const TargetCounts& other);
    bool operator==(const TargetCounts& other) const = default;
};

/// Few pairs are longer, and a table of many of them would be memory that is hardly used.
inline constexpr uint32_t k_max_listed_insert = 8191;

/// Orientations of pairs in Picard's order.
enum Orientation : size_t { k_fr, k_rf, k_tandem, k_orientations };

/// Sums over records. merge() is commutative and associative, with a new object as its neutral element, so
/// the sums do not depend on how records are spread over threads, lanes or shards.
struct Counts {
    explicit Counts(size_t contigs = 0) : mapped(contigs), placed_unmapped(contigs) {}

    std::vector<uint64_t> mapped;           ///< records per contig
    std::vector<uint64_t> placed_unmapped;  ///< unmapped records per contig, at their mate's position
    Histogram flags;                        ///< records by flag
    Histogram flags_without_bases;          ///< those of them that have no bases
    /// Primary pairs with both reads mapped to different contigs, by failed, and those with MAPQ >= 5.
    std::array<uint64_t, 2> other_contig{};
    std::array<uint64_t, 2> other_contig_mapq5{};
    std::array<uint32_t, 3> checksums{};  ///< sums of CRC-32 of names, bases, qualities

    // As `samtools stats` counts: not of secondary records, nor of those without bases.
    std::array<CycleCounts, k_fragments> cycles;
    Histogram neither_lengths;          ///< of primary records that are neither first nor last
    std::array<uint64_t, 3> longest{};  ///< read of all, first, last, hard-clipped bases included
    uint64_t quality_sum = 0;           ///< of first and last
    uint64_t mapped_bases = 0;          ///< of mapped primary records
    uint64_t duplicate_bases = 0;
    uint64_t aligned_bases = 0;                 ///< under M, I, = and X
    uint64_t mismatches = 0;                    ///< sum of NM
    uint64_t mapq0 = 0;                         ///< primary
    uint64_t pairs_on_two_contigs = 0;          ///< records
    Histogram mapping_qualities;                ///< not of duplicates, supplementary or failed records
    Histogram inward, outward, other_pairs;     ///< records by insert size
    Histogram insertions, deletions;            ///< by length
    std::array<Histogram, 2> insertion_cycles;  ///< first, last
    std::array<Histogram, 2> deletion_cycles;

    std::array<AlignmentSummary, k_categories> summary;
    GoodBaseCounts good_bases;
    GcBiasCounts gc_bias;
    TargetCounts targets;
    /// Pairs by absolute template length, from their second reads that are primary and no duplicates: those
    /// up to k_max_listed_insert, and the longer ones.
    std::array<Histogram, k_orientations> inserts;
    std::array<std::map<uint32_t, uint64_t>, k_orientations> long_inserts;

    void merge(const Counts& other);
    bool operator==(const Counts& other) const = default;
};

}  // namespace gannet::pipeline::qc
