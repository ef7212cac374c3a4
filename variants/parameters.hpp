// SPDX-License-Identifier: MIT
// Provides the parameters of variant calling, of scoring and of reference blocks.
#pragma once

#include "data/regions.hpp"
#include "ml/decision.hpp"
#include "variants/arithmetic/log_math.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gannet::variants {

/// Everything that affects a result; each is an option or a constant, and is written to the output's header.
struct CallerParameters {
    int32_t minimum_mapping_quality = 20;
    int32_t doubtful_mapping_quality =
        5;  ///< reads from here on count where most reads have it (MappingFilter)
    int32_t minimum_base_quality = 10;
    int32_t minimum_quality_centi = 1000;  ///< QUAL * 100 below which a site is LowQual
    int32_t maximum_depth = 250;  ///< a region with more reads is downsampled by a hash of their names
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
