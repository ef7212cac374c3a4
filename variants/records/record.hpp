// SPDX-License-Identifier: MIT
// Provides the one way from the genotype of a site to its VCF record: position and alleles, filters, and the
// limits of its qualities.
#pragma once

#include "data/reference.hpp"
#include "data/sequence.hpp"
#include "data/variant.hpp"
#include "variants/genotype/site_call.hpp"
#include "variants/genotype/site_statistics.hpp"
#include "variants/parameters.hpp"
#include "variants/sample/sample_model.hpp"
#include "variants/sequence/allele.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// What a call depends on beside its evidence.
struct CallModel {
    const data::Reference& reference;
    const CallerParameters& parameters;
    const SampleModel& sample;
};

/// Sets contig, position and alleles of a record: REF spans the longest deletion that is called, alternate
/// alleles are padded with the reference bases after theirs. `alleles`: the alternates of the site; `called`:
/// those of the record, counted from 1 (0, the reference, is passed over; one more than there are is `*`).
void write_alleles(const data::Reference& reference, uint32_t contig, std::span<const Allele> alleles,
                   const std::vector<data::Base>& arena, std::span<const size_t> called,
                   data::Variant& record);

/// Sets the odds of a systematic error of an SNV to `alternate` at the position, from the strands of its
/// reads.
void weigh_systematic_error(const CallModel& model, uint32_t contig, int64_t position, data::Base alternate,
                            SiteStatistics& site);
/// Likewise SiteStatistics::foreign_reads_odds, where the sample has two copies of its own.
void weigh_foreign_reads(const CallModel& model, uint32_t contig, int64_t position, SiteStatistics& site);
/// Likewise SiteStatistics::extra_copy_odds, where the place has further copies (`region_filters`).
void weigh_extra_copies(const CallModel& model, uint32_t contig, int64_t position, uint32_t region_filters,
                        SiteStatistics& site);

/// Statistics of a record with its alleles, the odds of a systematic error among them.
SiteStatistics statistics_of(const CallModel& model, const PlaceCopies& place, const data::Variant& record);

/// Who has decided a genotype, and so which filters apply.
enum class DecidedBy {
    caller,  ///< all filters
    /// LowQual alone: what the others say of a site is a part of what the network starts from (base_of() of
    /// scorer/decision.hpp).
    network,
};

/// Of a record with its alleles: filters, and the limits of QUAL and GQ (quality_caps.hpp), whether the
/// alleles were discovered, scored or forced. A record of a genotype without an alternate allele has no
/// filters and no limits. `stutter_per_million`: of the called alleles (SiteStatistics).
void finish_record(const CallModel& model, DecidedBy decided, const PlaceCopies& place,
                   int32_t stutter_per_million, data::Variant& record);

}  // namespace gannet::variants
