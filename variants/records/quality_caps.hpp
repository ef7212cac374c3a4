// SPDX-License-Identifier: MIT
// Provides limits of QUAL and GQ by how often calls of a kind are wrong for reasons that no likelihood has.
#pragma once

#include "data/variant.hpp"
#include "variants/genotype/site_statistics.hpp"

#include <cstdint>

namespace gannet::variants {

/// Phred. Reads that are from another copy of the sequence, that are aligned elsewhere, or whose errors have
/// a common cause agree with each other, so that the posterior of a wrong call is as high as that of a right
/// one. Such calls differ from others by too few alternate reads of a heterozygous site, by few alternate
/// reads at all, by alternate reads on one strand, by mapping quality, and by how many reads of a library
/// with much PCR change the length of the repeat: the limits are the measured shares of wrong calls by these
/// five (docs/calling.md).
struct QualityCaps {
    int32_t quality = 0;           ///< of QUAL: no variant at the site
    int32_t genotype_quality = 0;  ///< of GQ: another genotype
};
QualityCaps quality_caps(const SiteStatistics& site);

/// Lowers QUAL and GQ of the call to their limits; QUAL not below `minimum_quality_centi`, the threshold of
/// LowQual, since the wrong calls are counted among those above it. `uncapped_quality_centi` gets the former
/// QUAL.
void cap_qualities(const SiteStatistics& site, int32_t minimum_quality_centi, data::Variant& variant);

}  // namespace gannet::variants
