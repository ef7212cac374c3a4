// SPDX-License-Identifier: MIT
// Provides the depth of X and Y relative to the autosomes, and the sex that it shows.
#pragma once

#include "data/reference.hpp"
#include "data/regions.hpp"
#include "pipeline/coverage.hpp"

#include <cstdint>
#include <string>

namespace gannet::pipeline {

/// Mapped reads and known bases of X, of Y and of the autosomes (contigs named chr1 to chr22, or 1 to 22);
/// with targets those that are near them, and their bases.
struct SexDepth {
    struct Part {
        uint64_t reads = 0;
        uint64_t bases = 0;
    };
    Part x, y, autosomes;

    /// Reads that the part would have at the depth of the autosomes; 0 without autosomes.
    uint64_t expected(const Part& part) const;
    /// Whether enough reads are expected of X and of Y to tell.
    bool is_known() const;
    /// "male": X has 35 to 70 % of the depth of the autosomes and Y at least 25 %. "female": X has at least
    /// 80 % and Y at most 15 % (reads of repeats map to Y in females too). Empty: neither, or fewer than 500
    /// reads would be expected of X or of Y (is_known()).
    std::string sex() const;
};

/// `targets`: of an exome or panel, whose reads say nothing of the depth elsewhere; empty: none.
SexDepth sex_depth(const Coverage& coverage, const data::Reference& reference,
                   const data::RegionSet& targets = {});

}  // namespace gannet::pipeline
