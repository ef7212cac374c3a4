// SPDX-License-Identifier: MIT
// Provides a site of a window: its alleles, the evidence for them, and what is called.
#pragma once

#include "variants/genotype/genotype.hpp"
#include "variants/model/records.hpp"
#include "variants/sample/expected_depth.hpp"
#include "variants/sequence/allele.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gannet::variants {

/// QUAL x 100 below which a site is not written.
inline constexpr int32_t k_min_written_quality_centi = records_number("written_min_quality_centi");

/// Made by the pile-up or by a region, finished as a record (records/record.hpp), and possibly decided anew
/// by the scorer.
struct SiteCall {
    SiteEvidence evidence;        ///< that the call was made from
    std::vector<Allele> alleles;  ///< the alternates of the evidence but `*`; bases in the window's arena
    /// Of a site of a region: the number of each of `alleles` in it, and RegionCall::stutter_per_million of
    /// each.
    std::vector<uint32_t> region_alleles;
    std::vector<int32_t> stutter_per_million;
    PlaceCopies place;  ///< ExtraCopyFilter
    /// False: it begins before the window, and its record may reach into the window's reference blocks.
    bool is_of_window = true;
    std::optional<SiteGenotype> genotype;  ///< empty: not called

    int64_t record_position() const { return alleles.front().record_position(); }
};

/// The most of the called alleles' stutter.
int32_t stutter_of_call(const SiteCall& site);

}  // namespace gannet::variants
