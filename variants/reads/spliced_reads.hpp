// SPDX-License-Identifier: MIT
// Provides the division of spliced reads (CIGAR operation N) into their exons.
#pragma once

#include "variants/model/reads.hpp"
#include "variants/reads/read_set.hpp"

#include <cstdint>

namespace gannet::variants {

/// By chance no more bases of the next exon fit the intron, as of an adapter.
inline constexpr int64_t k_max_overhang_bp = reads_number("adapter_max_match_bp");

/// Replaces each read with skipped bases by reads of its aligned blocks between these, those over [begin,
/// end). An intron is no deletion, and nothing of such a read may propose or support one: so its clipped
/// bases are left out too, as are bases inserted or deleted beside an intron. Overlapping blocks of two mates
/// are linked. Reads that end at an intron of another one, by up to k_max_overhang_bp beside it, lose what is
/// clipped or aligned beyond: an overhang is too short to be spliced. Cost: one look at each CIGAR element
/// where no read is spliced.
void split_spliced_reads(int64_t begin, int64_t end, ReadSet& set);

}  // namespace gannet::variants
