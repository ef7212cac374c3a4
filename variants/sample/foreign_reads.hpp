// SPDX-License-Identifier: MIT
// Provides the odds that the reads with an allele are of a copy of the sequence that the reference lacks.
#pragma once

#include "variants/arithmetic/log_math.hpp"
#include "variants/sample/expected_depth.hpp"

#include <cstdint>

namespace gannet::variants {

/// log10 of the odds, x 65536, that both copies of the sample have the reference's base and the fragments
/// with the alternate one came from elsewhere, against a heterozygous SNV. If heterozygous, all fragments
/// together have the depth of two copies, each with either base with probability 1/2. Otherwise those of the
/// reference have that depth alone, and those from elsewhere any number up to twice as many with the same
/// probability. So many fragments of the reference speak for foreign ones, few alternate ones do; but
/// alternate ones that are merely lost do not, for then the depth is too low as well. k_no_foreign_reads
/// where the depth is not known. Counts above 500 are scaled down, with the depth. Determinism class:
/// exact-int.
int64_t foreign_reads_odds(const PlaceDepth& depth, int32_t reference, int32_t alternate);
inline constexpr int64_t k_no_foreign_reads = -1000 * int64_t{k_log_scale};

/// For a place that is known to have reads of further copies, with their prior: the larger of these odds
/// for the fragments of one allele and for those of the other. 0 where the depth is not known.
int64_t extra_copy_odds(const PlaceDepth& depth, int32_t first, int32_t second);

/// Distinct fragments over a group of linked SNVs.
struct GroupFragments {
    int32_t reference = 0;
    int32_t alternate = 0;
    int64_t of_sites = 0;  ///< the fragments of each site, summed over the sites
    int32_t sites = 0;
};

/// The same odds, without a prior, for SNVs whose alternate bases the same fragments have; `depth`: of a
/// site. They are worth more than those of one site, as more fragments cover the group: so many times more as
/// there are distinct fragments for those of a site. Three explanations: heterozygous with all fragments;
/// heterozygous, and some of the alternate ones were lost, since their haplotype differs much from the
/// reference (any number up to half of the depth, and those of the reference are the other half); foreign,
/// so that those of the reference alone have the depth of two copies.
int64_t foreign_group_odds(const PlaceDepth& depth, const GroupFragments& fragments);

/// For a place that is known to have reads of a third sequence, without a prior: the odds that these have the
/// group's alternate bases, against one of the two haplotypes having them, and those from elsewhere being
/// among the others. In the first case the others have the depth of two copies, in the second the alternate
/// ones that of one; the rest is any number up to twice the depth. k_no_foreign_reads where the depth is not
/// known.
int64_t one_of_three_odds(const PlaceDepth& depth, const GroupFragments& fragments);

}  // namespace gannet::variants
