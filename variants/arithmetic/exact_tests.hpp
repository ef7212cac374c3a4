// SPDX-License-Identifier: MIT
// Provides exact tests of counts of reads: Fisher's test of strand bias and the binomial test of allele
// balance.
#pragma once

#include <cstdint>
#include <span>

namespace gannet::variants {

/// Phred x 100 of the p-value of Fisher's exact test, two-sided, that reads of the alternate allele are
/// distributed over the strands as those of the reference are. Counts: reference forward, reference reverse,
/// alternate forward, alternate reverse; none negative.
///
/// Determinism class: exact-int (tables made by the compiler). Counts above 500 are scaled down, all four by
/// the same factor, so that the largest is 500. The result is within 5 (0.05 Phred) of the exact value for
/// the scaled counts; another table with nearly the probability of the observed one (within 0.1 %) may count
/// as equally likely. Cost: linear in the smaller of the two marginal counts.
int32_t strand_bias_centi(std::span<const int32_t, 4> strand_counts);

/// Phred x 100 of the binomial probability of `alternate` or fewer of reference + alternate reads, where each
/// read has either allele with probability 1/2. Scaling and determinism as for strand_bias_centi; within 10
/// (0.1 Phred) of the exact value.
int32_t allele_bias_centi(int32_t reference, int32_t alternate);

/// allele_bias_centi of the reads of one strand: the strand with fewer alternate reads.
int32_t absent_strand_centi(std::span<const int32_t, 4> strand_counts);

}  // namespace gannet::variants
