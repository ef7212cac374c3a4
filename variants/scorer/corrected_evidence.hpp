// SPDX-License-Identifier: MIT
// Provides the evidence of a site after corrections of the posteriors of its alleles.
#pragma once

#include "variants/arithmetic/genotype_order.hpp"
#include "variants/genotype/genotype.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace gannet::variants {

/// What is added to the log10 posterior of a number of copies of an allele (copy_class), x 65536.
using CopyChange = std::array<int32_t, k_copy_classes>;

/// The evidence with corrections: `change[i]` is of allele i, [0] unused. Posteriors count as at least 10^-6
/// before that, as they do in what networks are trained on.
///
/// Of one allele with a correction, each genotype gets what its copies of the allele get. Of several, each
/// correction states how many copies of its allele there are, whatever the other alleles; what several state
/// about the same doubt must not be added up. So the posterior of the genotypes is the nearest one to the
/// caller's (least relative entropy) in which every corrected allele has the copies that its correction
/// states, found by proportional fitting (Deming and Stephan 1940, doi:10.1214/aoms/1177731829). An allele
/// whose change is zero is not held to anything.
void correct_evidence(const SiteEvidence& evidence, std::span<const CopyChange> change, SiteEvidence& out);

}  // namespace gannet::variants
