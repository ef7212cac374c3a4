// SPDX-License-Identifier: MIT
// Provides the filters of called variants.
#pragma once

#include "data/variant.hpp"
#include "variants/caller.hpp"
#include "variants/evidence.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gannet::variants {

/// Sets the filter bits that the record's own numbers call for, beside those already set.
void apply_filters(const CallerParameters& parameters, data::Variant& variant);

/// Phred times 100 of a split of alternate and reference fragments over the strands at least as uneven as the
/// one seen (Fisher's exact test, two-sided).
int32_t strand_bias_centi(const int32_t (&strand_counts)[4]);

/// Phred times 100 of as few alternate fragments or fewer at a heterozygous site (binomial, one half each).
int32_t allele_bias_centi(int32_t reference, int32_t alternate);

/// The same on the one strand that has fewer alternate reads.
int32_t absent_strand_centi(const int32_t (&strand_counts)[4]);

/// Sees sequence that the sample has and the reference lacks: reads of a diverged copy pile up on the one
/// that is there, which shows as more depth than elsewhere in the window and as many alleles close together
/// that only a part of the reads have. Judged within one window, which is always given the same reads,
/// whatever else is called with it.
class ExtraCopyFilter {
  public:
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
