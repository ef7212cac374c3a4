// SPDX-License-Identifier: MIT
// Provides how many reads change the length of repeats that may be heterozygous.
#pragma once

#include "variants/sample/repeat_stutter.hpp"

namespace gannet::variants {

/// `counts` with the reads of the repeats that have several lengths, which `varied` then lacks. Expectation
/// maximization: a repeat has one or two of the lengths that its reads show, as probably as the prior of
/// indels and the rates of stutter so far have it; its reads count for the repeats of these lengths. A read
/// of another length than its haplotype has is a changed one. Does not depend on the order of `varied`. Cost:
/// 0.1 ms per thousand repeats of two lengths.
GapCounts with_varied_repeats(const GapCounts& counts);

}  // namespace gannet::variants
