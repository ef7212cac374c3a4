// SPDX-License-Identifier: MIT
// Provides the example of layout 2: what the network reads of one candidate, as bytes.
//
// The columns of a row are reference bases: column k_event_column is the allele's own position (the base of a
// SNV, the base before an indel). A row is 32 columns x 8 channels (columns first), then its features; a site
// is 32 columns x 7 channels, then its summary. What each byte holds: feature_table.hpp.
#pragma once

#include "data/record.hpp"
#include "data/sequence.hpp"
#include "kernels/pileup_network/pileup_network.hpp"
#include "ml/feature_table.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::ml {

namespace pileup = kernels::pileup;

inline constexpr uint32_t k_example_layout = 2;
inline constexpr int64_t k_event_column = 14;
inline constexpr uint32_t k_site_channels = 7;
inline constexpr uint32_t k_summary_bytes =
    pileup::k_site_bytes - pileup::k_columns * k_site_channels;  // 160
inline constexpr int32_t k_support_scale = 16;                   ///< of the feature `support`, per decade
inline constexpr uint8_t k_undecided = 127;  ///< `support` of a read that is not informative
// Values of the feature `pool`: the network pools rows by it (kernels/pileup_network/pileup_network.hpp).
inline constexpr uint8_t k_pool_allele = 255;
inline constexpr uint8_t k_pool_reference = 128;
inline constexpr uint8_t k_pool_other = 0;
// Values of the feature `mate_support`; 0: the mate does not cover the position.
inline constexpr uint8_t k_mate_undecided = 64;
inline constexpr uint8_t k_mate_differs = 128;
inline constexpr uint8_t k_mate_agrees = 255;
// Values of the features `left` and `right`; 0: the read does not cover the candidate.
inline constexpr uint8_t k_candidate_absent = 128;
inline constexpr uint8_t k_candidate_present = 255;
inline constexpr int32_t k_posterior_scale = 1 << 16;  ///< of log10 of the caller's posterior
inline constexpr int32_t k_min_posterior = -6 * k_posterior_scale;

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

/// The allele that an example is of.
struct ExampleAllele {
    int64_t position = 0;  ///< of the event column
    int64_t begin = 0;     ///< the bases that it may change: [begin, end), all of a tandem repeat
    int64_t end = 0;
    int32_t candidate =
        -1;  ///< of the window, or none: a read with a difference of this candidate shows the allele
};

/// One read at the allele. Values are not scaled; encode_row scales and clamps them.
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
    uint8_t pool = k_pool_other;
    uint8_t support = k_undecided;
    uint8_t base_quality = 0;  ///< at the position
    bool has_likelihood = false;
    int32_t best_fit = 0;              ///< log10 x 65536 on the best haplotype
    std::array<int64_t, 4> fits{};     ///< less than that on others, as the feature has them
    data::Base base = data::k_base_n;  ///< at the position, as the feature has it
    bool reaches_over = false;         ///< all bases that the allele may change, and one on either side
    int32_t length_change = 0;         ///< where the allele may change bases
    uint8_t mate_support = 0;          ///< as the feature
    int32_t mismatches = 0, indels = 0, candidates = 0, near = 0,
            error_quality = 0;  ///< other than the allele
    int32_t clipped = 0;
    int64_t clip_distance = -1;  ///< -1: not clipped
    int32_t not_carried = 0;
    uint8_t left = 0, right = 0;  ///< as the features
    int32_t run = 0;
    int64_t offset = 0;  ///< of the position in the read, bases from its left end
};

/// Writes pileup::k_row_bytes. `reference`: the pileup::k_columns bases from the first column on.
void encode_row(const ExampleAllele& allele, std::span<const data::Base> reference, const RowInput& row,
                std::span<uint8_t> out);

/// Writes the reference channels of the site: `bases` are the columns with `margin` more on both sides.
void encode_reference(const ExampleAllele& allele, std::span<const data::Base> bases, size_t margin,
                      std::span<uint8_t> out);

/// The allele of an example: the record of a shard (docs/scorer.md).
struct ExampleFacts {
    uint32_t contig = 0;
    uint32_t position = 0;  ///< of the VCF record, 0-based
    uint8_t kind = 0;       ///< 0 SNV, 1 insertion, 2 deletion, 3 other
    /// The caller's log10 posterior of 0, 1, 2 copies, x k_posterior_scale, lowered where the allele fails a
    /// filter (variants::base_of).
    std::array<int32_t, 3> base{};
    uint32_t allele = 0;  ///< a hash of position, length and bases of the normalised change
    // What else the decision depends on (variants/scorer/decision.hpp).
    uint16_t fragments = 0;    ///< informative ones of the site, at most 65535
    uint16_t plain_phred = 0;  ///< variants::plain_phred, at most 65535
    uint8_t filters = 0;       ///< bits of data::VariantFilter that the allele fails without the network
    uint8_t context = 0;       ///< Context
    uint8_t copies = 0;        ///< the caller's most probable class
    uint8_t quality_cap = 0;   ///< the caller's limit of QUAL, Phred
    bool is_haploid = false;   ///< not in shards, which hold diploid sites
    bool is_spanned =
        false;  ///< a deletion that begins before the site has it on some haplotype; not in shards
    // The allele, left-aligned: the bases from change_begin on that it changes. Not in shards.
    int64_t change_begin = 0;
    int32_t reference_length = 0;
    uint32_t first_base = 0;  ///< of the alternate, in CallWork::fact_bases
    int32_t alternate_length = 0;
};

}  // namespace gannet::ml
