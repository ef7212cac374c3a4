// SPDX-License-Identifier: MIT
// Provides the tables of the scorer's input, layout 2: what each byte of a row and of a site holds, at which
// scale.
//
// From these tables come the encoders (example.cpp, variants/scorer/example_site.cpp), the tables of
// docs/scorer.md and ml/train/features.py; scripts/update_features rewrites the latter two.
#pragma once

#include "kernels/pileup_network/pileup_network.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gannet::ml {

/// Bytes [offset, offset + count) of their part of the input. Unless the meaning says otherwise a byte is
/// min(255, value * scale / divisor), rounded down; 0 also where there is no value.
struct Feature {
    std::string_view name;
    uint8_t offset = 0;
    uint8_t count = 1;
    uint8_t scale = 1;
    uint8_t divisor = 1;
    std::string_view meaning;

    /// Byte i of the feature.
    constexpr Feature operator[](size_t i) const {
        Feature byte = *this;
        byte.offset = static_cast<uint8_t>(offset + i);
        byte.count = 1;
        return byte;
    }
};

/// Channels of a row at each column, from the read's own alignment.
inline constexpr auto k_row_channels = std::to_array<Feature>({
    {"match", 0, 1, 5, 1, "base quality of a base that equals the reference"},
    {"mismatch", 1, 1, 5, 1, "base quality of a base that differs"},
    {"deleted", 2, 1, 255, 1, "the base is deleted"},
    {"inserted", 3, 1, 8, 1, "bases inserted after the base, plus 4"},
    {"candidate", 4, 1, 255, 1, "a difference that is another candidate"},
    {"clipped", 5, 1, 5, 1, "base quality of a soft-clipped base, at the column where it would be aligned"},
    {"allele", 6, 1, 255, 1, "the read's alignment shows the allele"},
    {"base", 7, 1, 64, 1, "a base that differs from the reference: A 64, C 128, G 192, T 255"},
});

/// Features of a row, after its channels.
inline constexpr auto k_row_features = std::to_array<Feature>({
    {"pool", 0, 1, 1, 1,
     "255 the read supports the allele, 128 the reference, 0 neither of them, or another allele of the site"},
    {"support", 1, 1, 16, 1,
     "127 plus log10 P(read given allele) less that of the best other explanation; from 128 on it supports "
     "the allele"},
    {"mapping_quality", 2, 1, 4, 1, "mapping quality"},
    {"reverse", 3, 1, 255, 1, "on the reverse strand"},
    {"base_quality", 4, 1, 5, 1,
     "base quality at the position; of an indel, the lower of both neighbouring bases"},
    {"certainty", 5, 1, 16, 1, "absolute difference of log10 likelihoods in `support`"},
    {"best_fit", 6, 1, 8, 1, "-log10 P(read) on the best haplotype, where the pair-HMM was run"},
    {"has_likelihood", 7, 1, 255, 1, "the pair-HMM was run"},
    {"to_5_end", 8, 1, 1, 1, "bases from the position to the read's 5' end"},
    {"to_3_end", 9, 1, 1, 1, "bases from the position to the read's 3' end"},
    {"mismatches", 10, 1, 16, 1, "mismatches other than the allele"},
    {"candidates", 11, 1, 16, 1, "mismatches and indels other than the allele that are candidates"},
    {"error_quality", 12, 1, 1, 1, "sum of base qualities of mismatches that are no candidates"},
    {"indels", 13, 1, 32, 1, "insertions and deletions other than the allele"},
    {"clipped", 14, 1, 2, 1, "soft-clipped bases"},
    {"clip_distance", 15, 1, 4, 1, "255 less the bases to the nearer clip; 0 if not clipped"},
    {"mate_support", 16, 1, 1, 1,
     "if the mate covers the position too: 255 both support the same, 128 they differ, 64 one is undecided"},
    {"paired", 17, 1, 255, 1, "paired"},
    {"proper_pair", 18, 1, 255, 1, "in a proper pair"},
    {"mate_elsewhere", 19, 1, 255, 1, "the mate is unmapped or on another contig"},
    {"template_length", 20, 1, 1, 4, "absolute template length"},
    {"first_of_pair", 21, 1, 255, 1, "read 1 of a pair"},
    {"read_length", 22, 1, 1, 2, "bases of the read"},
    {"not_carried", 23, 1, 16, 1, "candidates that the read covers and does not have"},
    {"left", 24, 1, 1, 1,
     "nearest candidate to the left: 255 the read or its mate has it, 128 has it not, 0 neither covers it"},
    {"right", 25, 1, 1, 1, "nearest candidate to the right, likewise"},
    {"near", 26, 1, 32, 1, "differences other than the allele within 10 bp"},
    {"span", 27, 1, 1, 2, "aligned reference bases"},
    {"run", 28, 1, 16, 1,
     "length of the homopolymer just before the position, in the direction of sequencing"},
    {"mean_quality", 29, 1, 5, 1, "mean base quality"},
    {"fits", 30, 4, 16, 1,
     "where the pair-HMM was run, log10 P(read) on the best haplotype less that on the best one with the "
     "allele, with no allele of the site, with another allele of the site, and on the second best of all"},
    {"base", 34, 4, 255, 1,
     "A, C, G, T: the read's base at the position, of an insertion or deletion the base after it"},
    {"length_change", 38, 1, 8, 1,
     "bases inserted less bases deleted where the allele may change bases (all of a tandem repeat), plus 16"},
    {"mate_covers", 39, 1, 255, 1, "the mate covers the position too"},
    {"unused", 40, 24, 1, 1, "zero"},
});

/// Channels of a site at each column: the reference around the candidate.
inline constexpr auto k_site_channel_features = std::to_array<Feature>({
    {"bases", 0, 4, 255, 1, "A, C, G, T"},
    {"run", 4, 1, 16, 1, "length of the homopolymer that the base is in"},
    {"repeat", 5, 1, 4, 1, "bases of the tandem repeat (period 2 to 6) that the base is in"},
    {"tract", 6, 1, 255, 1, "the allele may change the base (all of a tandem repeat)"},
});

/// Summary of a site, after its channels. "Usual depth" is the window's. A read's pool is that of its feature
/// `pool`.
inline constexpr auto k_summary_features = std::to_array<Feature>({
    {"is_snp", 0, 1, 255, 1, "SNV"},
    {"is_insertion", 1, 1, 255, 1, "insertion"},
    {"is_deletion", 2, 1, 255, 1, "deletion"},
    {"length_fine", 3, 1, 8, 1, "bases changed"},
    {"length", 4, 1, 1, 1, "bases changed"},
    {"posterior", 5, 3, 40, 1, "-log10 of the caller's posterior of 0, 1, 2 copies"},
    {"quality", 8, 1, 1, 1, "Phred of no copy"},
    {"genotype_quality", 9, 1, 2, 1, "Phred of the second most probable number of copies"},
    {"likelihood", 10, 3, 1, 2, "Phred of the likelihood of 0, 1, 2 copies, relative to the best"},
    {"copies", 13, 3, 255, 1, "the caller's most probable number of copies is 0, 1, 2"},
    {"depth", 16, 1, 1, 1, "informative fragments"},
    {"other_depth", 17, 1, 1, 1, "informative fragments of other alleles"},
    {"allele_depth", 18, 1, 1, 1, "informative fragments of the allele"},
    {"allele_fraction", 19, 1, 255, 1, "the allele's fraction of the informative fragments"},
    {"strands", 20, 4, 4, 1, "fragments: others forward, others reverse, allele forward, allele reverse"},
    {"strand_bias", 24, 1, 2, 1, "Phred of Fisher's exact test of `strands`"},
    {"allele_shortage", 25, 1, 2, 1,
     "Phred of the binomial probability of as few fragments of the allele if heterozygous"},
    {"allele_excess", 26, 1, 2, 1,
     "Phred of the binomial probability of as few fragments of other alleles if heterozygous"},
    {"mapping_quality", 27, 1, 4, 1, "root mean square mapping quality of the informative fragments"},
    {"unused_fraction", 28, 1, 255, 1, "fraction of reads left out for their mapping quality"},
    {"unused_depth", 29, 1, 4, 1, "reads left out for their mapping quality"},
    {"doubtful_fraction", 30, 1, 255, 1, "fraction of the used reads with mapping quality below 50"},
    {"depth_here", 31, 1, 64, 1, "depth at the position, relative to the usual depth"},
    {"depth_near", 32, 1, 64, 1, "mean depth within 250 bp, relative to the usual depth"},
    {"usual_depth", 33, 1, 2, 1, "usual depth"},
    {"partial_near", 34, 1, 16, 1, "SNVs within 100 bp that only a part of the reads has"},
    {"partial_far", 35, 1, 8, 1, "SNVs within 500 bp that only a part of the reads has"},
    {"candidates_near", 36, 1, 16, 1, "candidates within 100 bp"},
    {"candidates_far", 37, 1, 8, 1, "candidates within 500 bp"},
    {"clips_near", 38, 1, 8, 1, "clipped reads within 10 bp"},
    {"clips_far", 39, 1, 4, 1, "clipped reads within 100 bp"},
    {"haplotypes", 40, 1, 16, 1, "haplotypes of the active region"},
    {"region_alleles", 41, 1, 12, 1, "alleles of the active region"},
    {"region_length", 42, 1, 1, 2, "bases of the active region"},
    {"is_pile_up", 43, 1, 255, 1, "called by the pile-up, without the pair-HMM"},
    {"left", 44, 1, 1, 1, "bases to the nearest candidate to the left within 200 bp; 255 if there is none"},
    {"right", 45, 1, 1, 1, "bases to the nearest candidate to the right, likewise"},
    {"filters", 46, 5, 255, 1,
     "without the network the allele fails LowQual, LowDepth, StrandBias, HighDepth, AlleleBias"},
    {"repeat_period", 51, 1, 32, 1, "of an indel: period of the tandem repeat that it changes"},
    {"repeat_copies", 52, 1, 8, 1, "copies of that repeat in the reference"},
    {"room", 53, 1, 2, 1, "bases by which the indel can be shifted"},
    {"run", 54, 1, 12, 1, "longest homopolymer within 2 bp"},
    {"alternates", 55, 1, 64, 1, "alternate alleles of the site"},
    {"index", 56, 1, 64, 1, "this allele's index among them, from 0"},
    {"gc", 57, 1, 255, 1, "GC fraction within 50 bp"},
    {"is_transition", 58, 1, 255, 1, "A-G or C-T"},
    {"is_cpg", 59, 1, 255, 1, "the reference base is the C or the G of a CpG"},
    {"rows", 60, 3, 4, 1, "reads by pool: the allele, the reference, others"},
    {"mean_certainty", 63, 3, 16, 1, "mean `certainty` of reads of each pool"},
    {"mean_quality", 66, 3, 5, 1, "mean base quality at the position of reads of each pool"},
    {"mean_mapping_quality", 69, 3, 4, 1, "mean mapping quality of reads of each pool"},
    {"mean_mismatches", 72, 3, 32, 1, "mean `mismatches` of reads of each pool"},
    {"mean_candidates", 75, 3, 32, 1, "mean `candidates` of reads of each pool"},
    {"clipped", 78, 3, 255, 1, "clipped fraction of reads of each pool"},
    {"improper", 81, 3, 255, 1, "fraction of reads of each pool not in a proper pair"},
    {"near_end", 84, 3, 255, 1, "fraction of reads of each pool with the position within 10 bases of an end"},
    {"doubtful", 87, 3, 255, 1, "fraction of reads of each pool with mapping quality below 50"},
    {"misfits", 90, 1, 255, 1, "fraction of reads that fit no haplotype"},
    {"seen", 91, 1, 4, 1, "reads whose alignment shows the allele"},
    {"rival_depth", 92, 1, 4, 1, "informative fragments of the site's other alternate allele with most"},
    {"neighbours", 93, 24, 1, 1,
     "three bytes for each of the eight nearest candidates: distance in bases (at least 1); then, of the "
     "fragments of the allele and of the reference that cover it, 1 + 254 x the fraction that has it"},
    {"bases", 117, 4, 255, 1, "fraction of A, C, G, T in the inserted, deleted or substituted bases"},
    {"linked", 121, 1, 32, 1, "`neighbours` that the allele's fragments have and the reference's have not"},
    {"unlinked", 122, 1, 32, 1, "`neighbours` that the reference's fragments have and the allele's have not"},
    {"length_changes", 123, 9, 255, 1,
     "fractions of the reads that reach over all bases that the allele may change: with 4 bases less or "
     "fewer there, 3, 2, 1 less, as the reference, 1, 2, 3 more, 4 more or more"},
    {"depth_expected", 132, 1, 64, 1,
     "depth at the position, relative to what two copies have in this sample at this GC; 0 where that is not "
     "known"},
    {"sample_depth", 133, 1, 2, 1, "mean depth of two copies in this sample"},
    {"sample_gc_spread", 134, 1, 64, 1, "its largest depth by GC less its smallest, relative to the mean"},
    {"sample_contamination", 135, 1, 2, 1, "contamination of the sample, per mille"},
    {"sample_qualities", 136, 4, 5, 1,
     "base qualities that are used where the reads report 40, 30, 20 and 12"},
    {"context", 140, 4, 255, 1, "the stratum: unique, homopolymer, repeat, hidden copy"},
    {"sample_slips", 144, 5, 4, 1,
     "Phred of the share of reads that change the length of a repeat: homopolymers of 6-8, 9-11, 12-14, 15 "
     "bases "
     "or more, repeats of period 2; 0 where that is not known"},
    {"systematic_error", 149, 1, 16, 1,
     "of an SNV: 8 plus log10 of the odds that it is a systematic error, against a heterozygous SNV; 0 where "
     "the sample has none"},
    {"sample_systematic_errors", 150, 2, 48, 1,
     "log10 of 1 + the places of the sample prone to systematic errors, per Mb and strand: those where an "
     "error "
     "does not repeat the base before, those where it does"},
    {"repeats_base_before", 152, 2, 255, 1,
     "of an SNV: its base repeats the reference's base just before it, in the direction of forward reads and "
     "of reverse reads"},
    {"unused", 154, 6, 1, 1, "zero"},
});

/// The bytes of a table; every byte must belong to exactly one feature.
template <size_t n>
constexpr size_t bytes_of(const std::array<Feature, n>& table) {
    size_t end = 0;
    for (const Feature& feature : table) {
        if (feature.offset != end || feature.count == 0 || feature.divisor == 0) return 0;
        end += feature.count;
    }
    return end;
}

/// Does not compile where the table has no feature of the name.
template <size_t n>
consteval Feature feature_of(const std::array<Feature, n>& table, std::string_view name) {
    for (const Feature& feature : table) {
        if (feature.name == name) return feature;
    }
    throw "the table has no such feature";
}
consteval Feature row_channel(std::string_view name) { return feature_of(k_row_channels, name); }
consteval Feature row_feature(std::string_view name) { return feature_of(k_row_features, name); }
consteval Feature site_channel(std::string_view name) { return feature_of(k_site_channel_features, name); }
consteval Feature summary_feature(std::string_view name) { return feature_of(k_summary_features, name); }

static_assert(bytes_of(k_row_channels) == kernels::pileup::k_channels);
static_assert(bytes_of(k_row_features) == kernels::pileup::k_row_features);
static_assert(kernels::pileup::k_columns * bytes_of(k_site_channel_features) + bytes_of(k_summary_features) ==
              kernels::pileup::k_site_bytes);

/// min(255, value) of a value; 0 of a negative one.
constexpr uint8_t byte_of(int64_t value) {
    return static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

/// Writes features to the bytes of their part of the input.
class FeatureWriter {
  public:
    explicit FeatureWriter(std::span<uint8_t> out) : out_(out) {}
    /// numerator / denominator at the feature's scale; 0 where the denominator is not positive.
    void set(const Feature& feature, int64_t numerator, int64_t denominator = 1) {
        set_byte(feature, denominator <= 0
                              ? uint8_t{0}
                              : byte_of(numerator * feature.scale / (denominator * feature.divisor)));
    }
    void set_byte(const Feature& feature, uint8_t byte) { out_[feature.offset] = byte; }

  private:
    std::span<uint8_t> out_;
};

}  // namespace gannet::ml
