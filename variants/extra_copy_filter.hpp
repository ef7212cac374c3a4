// SPDX-License-Identifier: MIT
// Provides the HighDepth filter: excess depth amid many alleles that only a part of the reads has.
#pragma once

#include "data/variant.hpp"
#include "variants/evidence.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gannet::variants {

/// Detects sequence that the sample has in more copies than the reference: reads of a diverged copy align to
/// the copy that the reference has, which shows as more depth than elsewhere in the window and as many
/// alleles close together that only a part of the reads has. Depends on one window only, which always has the
/// same reads, whatever else is called with it.
class ExtraCopyFilter {
  public:
    /// The filter with its thresholds, for the header of a VCF.
    static std::string description();
    /// An allele that `support` of `depth` reads have: too few for one that all copies have.
    static bool is_partial(int64_t support, int64_t depth);
    void load(const Evidence& evidence, std::span<const Candidate> candidates);
    /// k_filter_high_depth, or 0.
    uint32_t at(int64_t position) const;
    int64_t usual_depth() const { return usual_depth_; }
    /// Summed depth over the bases within `reach` of the position, and how many they are.
    std::pair<int64_t, int64_t> depth_within(int64_t position, int64_t reach) const;
    /// Alleles within `reach` that only a part of the reads has.
    int64_t partial_alleles_within(int64_t position, int64_t reach) const;

  private:
    bool is_deeper(int64_t position, int64_t percent) const;
    bool is_excess(int64_t position) const;

    const Evidence* evidence_ = nullptr;
    std::vector<int64_t> depth_sums_;       // prefix sums over the evidence's range
    std::vector<int64_t> partial_alleles_;  // positions of alleles that some reads have and some have not
    std::vector<int64_t> excess_;           // those of them amid many, in excess depth
    std::vector<int32_t> sorted_;
    int64_t usual_depth_ = 0;
};

}  // namespace gannet::variants
