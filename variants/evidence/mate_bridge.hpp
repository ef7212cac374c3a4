// SPDX-License-Identifier: MIT
// Provides the sequence between two ends of an insertion from mates of reads beside it.
#pragma once

#include "data/sequence.hpp"
#include "variants/model/alleles.hpp"
#include "variants/reads/read_set.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// Replaces `out` by the remote mates of reads within reach of a site: of forward reads to the left of it and
/// reverse reads to the right. Bounded: of many, those with the smallest hash of their names.
void remote_mates_beside(const ReadSet& set, int64_t site, std::vector<std::span<const data::Base>>& out);

/// Bases of the reference beside an insertion that its ends begin and end with.
inline constexpr int64_t k_bridge_flank_bp = alleles_number("bridge_flank_bp");

/// The sequence that begins with `from` and ends with `to`, the two ends of an insertion with
/// k_bridge_flank_bp of the reference beside it: both are extended by the mates that overlap them, as the
/// majority of these goes on, until they meet. Empty where they do not, where an overlap fits in several
/// places, and for more than `max_bp`. The order of the mates does not matter. Cost: for each of a few rounds
/// and each mate some comparisons per base of the sequence.
std::vector<data::Base> bridge(std::span<const data::Base> from, std::span<const data::Base> to,
                               std::span<const std::span<const data::Base>> mates, size_t max_bp);

}  // namespace gannet::variants
