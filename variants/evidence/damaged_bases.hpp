// SPDX-License-Identifier: MIT
// Provides lower qualities for bases that may be damage of the DNA and not variants.
#pragma once

#include "variants/evidence/evidence.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/sample/base_damage.hpp"
#include "variants/sequence/allele.hpp"

#include <span>

namespace gannet::variants {

/// What is damaged before sequencing is read with the best quality. Bases that differ from the reference as
/// damage changes it get at most BaseDamage::highest_quality(). Mate 1 of a fragment of the other strand and
/// its mate do not show the change, and stay proof of a true variant. Linear in the bases of the reads;
/// nothing is done without damage.
void cap_damaged_bases(const BaseDamage& damage, const ReferenceSlice& slice, ReadSet& set);

/// The same for bases that equal the reference, where damage makes them of the alternate base of a
/// candidate: the sample may be homozygous for that one.
void cap_damaged_alternates(const BaseDamage& damage, const ReferenceSlice& slice, const Evidence& evidence,
                            std::span<const Candidate> candidates, ReadSet& set);

}  // namespace gannet::variants
