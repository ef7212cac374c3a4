// SPDX-License-Identifier: MIT
// Provides the depth of X and Y relative to the autosomes, and the sex that it shows.
#pragma once

#include "data/reference.hpp"
#include "pipeline/coverage.hpp"

#include <cstdint>
#include <string>

namespace gannet::pipeline {

/// Mapped reads and known bases of X, of Y and of the autosomes (contigs named chr1 to chr22, or 1 to 22).
struct SexDepth {
    struct Part {
        uint64_t reads = 0;
        uint64_t bases = 0;
    };
    Part x, y, autosomes;

    /// Reads that the part would have at the depth of the autosomes; 0 without autosomes.
    uint64_t expected(const Part& part) const;
    /// "male": X has 35 to 70 % of the depth of the autosomes and Y at least 25 %. "female": X has at least
    /// 80 % and Y at most 15 % (reads of repeats map to Y in females too). Empty: neither, or fewer than 500
    /// reads would be expected of X or of Y.
    std::string sex() const;
};

SexDepth sex_depth(const Coverage& coverage, const data::Reference& reference);

}  // namespace gannet::pipeline
