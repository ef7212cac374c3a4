// SPDX-License-Identifier: MIT
// Provides the parameters of variant calling, of scoring and of reference blocks.
#pragma once

#include "data/regions.hpp"
#include "ml/decision.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/model/alleles.hpp"
#include "variants/model/reads.hpp"
#include "variants/model/records.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gannet::variants {

/// The thresholds that a program which uses this library may set; the output's header states them. All other
/// numbers that affect a result are in caller_model.hpp, whose hash the header states too.
struct CallerParameters {
    int32_t minimum_mapping_quality = reads_number("min_mapping_quality");
    /// Reads from here on count where most reads have it (MappingFilter).
    int32_t doubtful_mapping_quality = reads_number("min_mapping_quality_where_few_are_lower");
    int32_t minimum_base_quality = reads_number("min_base_quality");
    /// QUAL * 100 below which a site is LowQual.
    int32_t minimum_quality_centi = records_number("low_quality_centi");
    /// A region with more reads is downsampled by a hash of their names.
    int32_t maximum_depth = alleles_number("region_max_depth");
    std::string to_text() const;
};

/// Whether there is a network, and what its model says of where it counts.
struct ScoringParameters {
    bool enabled = false;
    ml::Decision decision;
    bool examples_only = false;  ///< no genotypes are made: sites outside the targets are of no use
};

/// GQ at which each band of a gVCF but the first begins, ascending, 1-99. GQ 0 is a band of its own in any
/// case.
std::vector<int32_t> default_bands();

/// What affects the reference blocks of a gVCF.
struct BlockParameters {
    bool enabled = false;
    std::vector<int32_t> bands = default_bands();
    /// Blocks are made within these intervals only, and cut at their edges; empty: everywhere. A shard's
    /// edges do not belong here: blocks must not depend on them.
    data::RegionSet bounds;
};

}  // namespace gannet::variants
