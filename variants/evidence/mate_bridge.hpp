// SPDX-License-Identifier: MIT
// Provides the sequence between two ends of an insertion from mates of reads beside it.
#pragma once

#include "data/sequence.hpp"
#include "variants/reads/read_set.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gannet::variants {

/// Replaces `out` by the remote mates of reads within reach of a site: of forward reads to the left of it and
/// reverse reads to the right. Bounded: of many, those with the smallest hash of their names.
void remote_mates_beside(const ReadSet& set, int64_t site, std::vector<std::span<const data::Base>>& out);

/// The sequence that begins with `from` and ends with `to`, found by extending `from`, and where that fails
/// `to`, by the mates that overlap it, as the majority of these goes on. Nothing where the two do not come
/// together in one way within `max_bp`, or an overlap fits in several places. The order of the mates does not
/// matter. Cost: for each of a few rounds and each mate some comparisons per base of the sequence.
std::optional<std::vector<data::Base>> bridge(std::span<const data::Base> from,
                                              std::span<const data::Base> to,
                                              std::span<const std::span<const data::Base>> mates,
                                              int64_t max_bp);

}  // namespace gannet::variants
