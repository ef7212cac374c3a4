// SPDX-License-Identifier: MIT
// Provides the reads that an insertion or deletion explains, but whose alignments have mismatches instead.
#pragma once

#include "variants/evidence/evidence.hpp"

#include <cstdint>

namespace gannet::variants {

/// Reads over the indel, aligned without a gap, that fit it better by what two mismatches of good bases
/// cost, if either of their sides is moved. Such a read begins or ends within a repeat whose copies differ,
/// and what it shows as SNVs is the allele that the reads beyond the repeat show as a gap. Linear in the
/// bases of the reads over the position.
int64_t count_explained_reads(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
                              const Allele& indel);

}  // namespace gannet::variants
