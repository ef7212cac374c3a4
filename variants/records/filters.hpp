// SPDX-License-Identifier: MIT
// Provides the filters of called variants.
#pragma once

#include "data/variant.hpp"
#include "variants/genotype/site_statistics.hpp"
#include "variants/parameters.hpp"

#include <cstdint>
#include <vector>

namespace gannet::variants {

/// The filters (bits of data::VariantFilter) that a site of these statistics fails. `region_filters`: those
/// that its region fails (ExtraCopyFilter); HighDepth does not apply to homozygous genotypes.
uint32_t filters_of(const CallerParameters& parameters, const SiteStatistics& site, uint32_t region_filters);

/// The filters that calls of these parameters may fail, with their thresholds, for the header of a VCF.
std::vector<data::FilterDescription> describe_filters(const CallerParameters& parameters);

}  // namespace gannet::variants
