// SPDX-License-Identifier: MIT
// Provides the example of layout 1: what the network is shown of one candidate, as bytes.
//
// The columns of a row are reference bases: column k_event_column is the allele's own place (the base of a
// SNP, the base before an indel). A byte is min(255, value * scale) unless it says otherwise; 0 is "nothing".
//
// Row, 32 columns x 8 channels (columns first), from the read's own alignment
//   0 match        5 * base quality            4 candidate   255 where a difference is another candidate's
//   1 mismatch     5 * base quality            5 clipped     5 * quality of a soft-clipped base
//   2 deleted      255                         6 allele      255 where the read shows the allele itself
//   3 inserted     32 + 8 * bases after it     7 tract       255 where read and place of the allele overlap
// Row features
//   0 support      127 + (log10 P(read | allele) - log10 P(read | best other)) * 16; from 128 on it supports
//   1 mapping quality * 4              12 insertions and deletions beside the allele * 32
//   2 reverse strand                   13 clipped bases * 2
//   3 base quality * 5 (least of an    14 255 - 4 * bases to the nearer clip (0: none)
//     indel's neighbours)              15 mate over the place: 255 the same support, 128 other, 64 undecided
//   4 |log-likelihood difference|*16   16 paired             17 proper pair
//   5 -log10 P(read | best) * 8        18 mate elsewhere (unmapped or another contig)
//   6 had a pair-HMM                   19 |template length| / 4
//   7 bases to the 5' end              20 first of pair      21 read length / 2
//   8 bases to the 3' end              22 candidates covered, not carried * 16
//   9 mismatches beside the allele*16  23, 24 nearest candidate left, right: 255 carried, 128 not, 0 not
//   covered
//  10 of 9, 12: candidates' * 16       25 differences within 10 bp beside the allele * 32
//  11 quality sum of 9 that is no      26 aligned bases / 2  27 run of one base just before the place, in the
//     candidate's                         direction of reading * 16           28 mean base quality * 5
//  29..31 zero
// Site, 32 columns x 6 channels: A, C, G, T (255), run length of the base * 16, bases of the tandem repeat
// (period 2 to 6) * 4; then 128 bytes of summary, listed at SiteByte.
#pragma once

#include "data/record.hpp"
#include "data/sequence.hpp"
#include "kernels/pileup_network/pileup_network.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::ml {

namespace pileup = kernels::pileup;

inline constexpr uint32_t k_example_layout = 1;
inline constexpr int64_t k_event_column = 14;
inline constexpr uint32_t k_site_channels = 6;
inline constexpr uint32_t k_summary_bytes =
    pileup::k_site_bytes - pileup::k_columns * k_site_channels;  // 128
inline constexpr int32_t k_support_scale = 16;                   ///< steps of feature 0 a decade
inline constexpr uint8_t k_undecided = 127;                      ///< feature 0 of a read that tells nothing
inline constexpr int32_t k_base_scale = 1 << 16;                 ///< log10 of the caller's posterior
inline constexpr int32_t k_least_base = -6 * k_base_scale;

/// The bytes of the summary, by offset from its begin. In brackets: the scale where it is not 1.
enum SiteByte : uint8_t {
    k_site_is_snp = 0,  ///< 255
    k_site_is_insertion = 1,
    k_site_is_deletion = 2,
    k_site_length_fine = 3,  ///< changed bases [8]
    k_site_length = 4,
    k_site_base = 5,          ///< 5..7: -log10 of the caller's posterior of 0, 1, 2 copies [40]
    k_site_quality = 8,       ///< Phred of no copy
    k_site_gq = 9,            ///< Phred of the second best number of copies [2]
    k_site_likelihood = 10,   ///< 10..12: Phred of the likelihood of 0, 1, 2 copies below the best [1/2]
    k_site_best_copies = 13,  ///< 13..15: 255 at the caller's number of copies
    k_site_depth = 16,        ///< fragments that tell
    k_site_other_depth = 17,
    k_site_allele_depth = 18,
    k_site_share = 19,            ///< allele's share of both [255]
    k_site_strands = 20,          ///< 20..23: others forward, reverse; allele forward, reverse [4]
    k_site_strand_bias = 24,      ///< Phred of Fisher's test [2]
    k_site_few = 25,              ///< Phred of so few of the allele, at one half [2]
    k_site_many = 26,             ///< Phred of so many [2]
    k_site_mapping_quality = 27,  ///< root mean square [4]
    k_site_low_share = 28,        ///< reads below the least mapping quality, share of all [255]
    k_site_low_count = 29,        ///< their number [4]
    k_site_middling_share = 30,   ///< used reads of mapping quality below 50, share [255]
    k_site_depth_here = 31,       ///< depth at the place, 64: the usual of the window
    k_site_depth_near = 32,       ///< mean depth within 250 bp, 64: usual
    k_site_usual_depth = 33,      ///< [2]
    k_site_partial_near = 34,     ///< SNPs that a part of the reads has, within 100 bp [16]
    k_site_partial_far = 35,      ///< within 500 bp [8]
    k_site_candidates_near = 36,  ///< candidates of any kind within 100 bp [16]
    k_site_candidates_far = 37,   ///< within 500 bp [8]
    k_site_clips_near = 38,       ///< clipped reads within 10 bp [8]
    k_site_clips_far = 39,        ///< within 100 bp [4]
    k_site_haplotypes = 40,       ///< of the region [16]
    k_site_alleles = 41,          ///< of the region [12]
    k_site_region_length = 42,    ///< [1/2]
    k_site_is_pile_up = 43,       ///< 255
    k_site_left = 44,             ///< distance of the nearest candidate left, 255: none
    k_site_right = 45,
    k_site_filters = 46,  ///< 46..50: LowQual, LowDepth, StrandBias, HighDepth, AlleleBias of the caller
    k_site_repeat_period = 51,  ///< of an indel [32]
    k_site_repeat_copies = 52,  ///< [8]
    k_site_room = 53,           ///< bases that the indel can move [2]
    k_site_run = 54,            ///< longest run of one base within 2 bp of the place [12]
    k_site_alternates = 55,     ///< of the site [64]
    k_site_index = 56,          ///< of this one among them [64]
    k_site_gc = 57,             ///< share within 50 bp [255]
    k_site_is_transition = 58,
    k_site_is_cpg = 59,         ///< the reference is a C before a G, or that G
    k_site_rows = 60,           ///< 60..62: reads that support, that are against, undecided [4]
    k_site_telling = 63,        ///< 63, 64: mean |log10 difference| of both [16]
    k_site_quality_of = 65,     ///< 65, 66: mean base quality at the place [5]
    k_site_mapping_of = 67,     ///< 67, 68: mean mapping quality [4]
    k_site_mismatches_of = 69,  ///< 69, 70: mean mismatches beside the allele [32]
    k_site_candidates_of = 71,  ///< 71, 72: mean candidates carried beside it [32]
    k_site_clipped_of = 73,     ///< 73, 74: share that is clipped [255]
    k_site_improper_of = 75,    ///< 75, 76: share without a proper pair [255]
    k_site_near_end_of = 77,    ///< 77, 78: share with the place within 10 bases of an end [255]
    k_site_mapped_low_of = 79,  ///< 79, 80: share of mapping quality below 50 [255]
    k_site_misfits = 81,        ///< share of reads that fit no haplotype [255]
    k_site_support_seen = 82,   ///< of alignments that show the allele [4]
    k_site_rival = 83,          ///< fragments of the commonest other alternate of the site [4]
    k_site_neighbours = 84,     ///< 84..107: eight nearest candidates, distance [1], share of supporting, of
                                ///< other reads over both that carry it [254, plus 1 where there are any]
    k_site_insertion_bases = 108,  ///< 108..111: share of A, C, G, T in the changed bases [255]
    k_site_linked = 112,           ///< neighbours of 84.. that only supporting reads carry [32]
    k_site_unlinked = 113,         ///< and that only others carry [32]
    // 114..127 are zero.
};

/// A difference of a read from the reference.
struct ReadEvent {
    enum Kind : uint8_t { mismatch, insertion, deletion };
    int64_t position = 0;  ///< the base; the base after an insertion; the first one deleted
    int32_t length = 1;
    int32_t candidate = -1;  ///< of the window, or none
    Kind kind = mismatch;
    uint8_t quality = 0;
    data::Base base = 0;
};

/// The allele that an example asks for.
struct ExampleAllele {
    int64_t position = 0;  ///< of the event column
    int64_t begin = 0;     ///< the bases that it may change: [begin, end), a tandem repeat whole
    int64_t end = 0;
    int32_t candidate = -1;  ///< of the window: differences that are this one show the allele
};

/// One read, as its example sees it. Values are as they are; encode_row scales and clamps.
struct RowInput {
    int64_t begin = 0;  ///< first aligned reference base
    int64_t end = 0;
    std::span<const data::Base> bases;
    std::span<const uint8_t> qualities;
    std::span<const uint32_t> cigar;
    std::span<const ReadEvent> events;  ///< by position
    uint8_t mapping_quality = 0;
    uint16_t flags = 0;
    int32_t template_length = 0;
    bool mate_elsewhere = false;
    uint8_t support = k_undecided;
    uint8_t base_quality = 0;  ///< at the place
    bool has_likelihood = false;
    int32_t best_fit = 0;      ///< log10 x 65536 on the best haplotype
    uint8_t mate_support = 0;  ///< as feature 15
    int32_t mismatches = 0, indels = 0, candidates = 0, near = 0, wrong_quality = 0;  ///< beside the allele
    int32_t clipped = 0;
    int64_t clip_distance = -1;  ///< -1: not clipped
    int32_t not_carried = 0;
    uint8_t left = 0, right = 0;  ///< features 23, 24
    int32_t run = 0;
    int64_t offset = 0;  ///< of the place in the read, bases from its left end
};

/// Writes pileup::k_row_bytes. `reference`: the pileup::k_columns bases from the first column on.
void encode_row(const ExampleAllele& allele, std::span<const data::Base> reference, const RowInput& row,
                std::span<uint8_t> out);

/// Writes the reference channels of the site: `bases` are the columns with `margin` more on both sides.
void encode_reference(std::span<const data::Base> bases, size_t margin, std::span<uint8_t> out);

/// min(255, value) of a value that may not be negative.
constexpr uint8_t byte_of(int64_t value) {
    return static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

/// What an example is of: the record of a shard (docs/scorer.md).
struct ExampleFacts {
    uint32_t contig = 0;
    uint32_t position = 0;  ///< of the VCF record, 0-based
    uint8_t kind = 0;       ///< 0 SNP, 1 insertion, 2 deletion, 3 other
    std::array<int32_t, 3> base{};
    uint32_t allele = 0;  ///< a hash of position, length and bases of the normalised change
    // The change itself, left-aligned: bases from change_begin on that become others. Not in shards.
    int64_t change_begin = 0;
    int32_t reference_length = 0;
    uint32_t first_base = 0;  ///< into the bases beside the facts
    int32_t alternate_length = 0;
};

}  // namespace gannet::ml
