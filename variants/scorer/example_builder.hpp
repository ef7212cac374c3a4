// SPDX-License-Identifier: MIT
// Provides examples for the network: the reads at one candidate allele of a site, and a summary of the site.
#pragma once

#include "variants/parameters.hpp"
#include "variants/scorer/example_batch.hpp"
#include "variants/scorer/example_reads.hpp"

namespace gannet::variants {

/// Appends the example of an allele. It depends on reads within 2 kb of the allele, and on the window's usual
/// depth. `profiles`: of the reads of the window, filled as far as they are needed. Cost: about the bases of
/// the reads at the position. Determinism class: exact-int.
void add_example(const CallerParameters& parameters, const WindowAlleles& window, ReadProfiles& profiles,
                 const ExampleRequest& request, ExampleBatch& out);

}  // namespace gannet::variants
