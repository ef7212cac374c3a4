// SPDX-License-Identifier: MIT
// Provides other persons of the population that the sample is of: those whose reads are among its reads.
#pragma once

#include "data/simulate/sample.hpp"

namespace gannet::data::simulate {

/// Variants of person `number`, 1 or more: of the sample's, each haplotype has a random half, and half of as
/// many others, which the sample has not. Sorted, not overlapping.
Truth make_other_person(const Genome& genome, const Truth& sample, uint64_t seed, uint64_t number);

}  // namespace gannet::data::simulate
