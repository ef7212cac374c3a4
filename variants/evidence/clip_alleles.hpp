// SPDX-License-Identifier: MIT
// Provides the long insertions and deletions that soft-clipped reads show together.
#pragma once

#include "variants/evidence/evidence.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/sequence/allele.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// Positions where at least 3 reads and 5 % of the depth (12 %: they are also assembled) have a soft clip of
/// 8 good bases that begins or ends within 3 bp.
void find_clip_sites(const Evidence& evidence, std::vector<ClipSite>& sites);

/// Appends to the evidence's indels, for each read whose clip shows it, an insertion or deletion longer than
/// aligners place within a read. The clipped ends at a site are put together to a consensus, and where they
/// disagree to one of each group of them as well; a deletion or a tandem duplication is where the consensus
/// continues in the reference, an insertion of other sequence is where the consensus from its left end and
/// that from its right end overlap (split reads: Ye 2009). In a tandem repeat one of the two ends may be that
/// of reads with an SNV instead of clips. Found from one side only if the consensus shows both ends of the
/// allele, or reads that come from the other side go on with mismatches that the allele explains; nothing is
/// found where another placement is nearly as good, or longer than k_max_indel_bp. The caller sorts. Cost:
/// nothing without clip sites; at one, about k_max_indel_bp comparisons for each side and group, and in a
/// tandem repeat a consensus of the reads of each of up to 8 SNVs.
void add_clip_alleles(const ReadSet& set, const ReferenceSlice& slice, std::span<const ClipSite> sites,
                      Evidence& evidence);

}  // namespace gannet::variants
