// SPDX-License-Identifier: MIT
// Provides the filters of called variants.
#pragma once

#include "data/variant.hpp"
#include "variants/caller.hpp"

namespace gannet::variants {

/// Sets the filter bits that the record's own numbers call for.
void apply_filters(const CallerParameters& parameters, data::Variant& variant);

/// Phred times 100 of a split of alternate and reference fragments over the strands at least as uneven as the
/// one seen (Fisher's exact test, two-sided).
int32_t strand_bias_centi(const int32_t (&strand_counts)[4]);

}  // namespace gannet::variants
