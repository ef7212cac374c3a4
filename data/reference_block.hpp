// SPDX-License-Identifier: MIT
// Provides one reference block of a gVCF: neighbouring positions at which the sample has the reference's
// bases, with how certain that is.
#pragma once

#include <array>
#include <cstdint>

namespace gannet::data {

/// Positions [begin, end), 0-based, of one contig. Depths are of informative bases, overlapping mates counted
/// once.
struct ReferenceBlock {
    uint32_t contig = 0;
    int64_t begin = 0;
    int64_t end = 0;
    int32_t ploidy = 2;         ///< 1 or 2
    int32_t quality = 0;        ///< GQ, 0-99: the lowest of any position
    int32_t depth = 0;          ///< DP: the median of the positions
    int32_t minimum_depth = 0;  ///< MIN_DP
    /// PL of some copies (of a diploid block: one) and of all copies having another allele: the lowest of any
    /// position. PL of the reference genotype is 0.
    std::array<int32_t, 2> likelihoods{};

    bool operator==(const ReferenceBlock&) const = default;
};

}  // namespace gannet::data
