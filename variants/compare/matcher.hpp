// SPDX-License-Identifier: MIT
// Provides haplotype-aware matching of two call sets: the largest parts of both that state the same
// sequences.
#pragma once

#include "data/reference.hpp"
#include "variants/compare/atoms.hpp"

namespace gannet::variants::compare {

/// How an atom may be laid on the two haplotypes.
enum class MatchBy {
    genotype,  ///< copies as called: one of two haplotypes, or both
    allele     ///< presence: any haplotypes
};

/// Sets `matched` (genotype) or `matched_allele` (allele; it then includes what the genotype matched) of both
/// sides' atoms.
///
/// Both sets are replayed along the reference from left to right at once. A state holds, for each of the two
/// haplotypes, how far truth and calls have consumed the reference and the bases by which one is ahead of the
/// other; an atom may be left out or laid on one or both haplotypes, and a state dies as soon as the two
/// sides disagree in a base. Equal states are merged, keeping the one that has used most atoms (then most
/// truth). A stretch is decided where the only state left is the one in step, so that clusters end exactly
/// where no representation can reach further, however long the repeat. Phase is taken as unknown. Changes
/// that cancel out with nothing on the other side do not match. What is left over but is the same normalised
/// change with the same copies matches too (records that overlap on a haplotype cannot be replayed). The idea
/// of replaying follows Cleary et al. 2015 (vcfeval).
///
/// Bound: at most k_max_states states are kept after each atom, the best first; what is dropped can only cost
/// matches. Deterministic. Cost: linear in atoms, but for stretches of many atoms inside a repeat.
inline constexpr size_t k_max_states = 4096;
void match(const data::Reference& reference, CallSet& truth, CallSet& calls, MatchBy by);

}  // namespace gannet::variants::compare
