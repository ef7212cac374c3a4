// SPDX-License-Identifier: MIT
// Provides the indels of tandem repeats that reads which end within the repeat show as SNVs.
#pragma once

#include "variants/evidence/evidence.hpp"

#include <vector>

namespace gannet::variants {

/// Where one repeat goes over into another that differs by one base (CCCT to TCCT), a copy less of the one
/// and a copy more of the other is an SNV. A read that ends within the second repeat fits a copy less of the
/// first as well, and its aligner, to which a mismatch is cheaper than a gap, shows the SNV. Adds to
/// `candidates` the indels of up to six bases that explain an SNV in all reads that have it, with the
/// support of the SNV. Constant for most SNVs; else linear in the reads over it.
void add_repeat_end_alleles(const ReadSet& set, const ReferenceSlice& slice, Evidence& evidence,
                            std::vector<Candidate>& candidates);

}  // namespace gannet::variants
