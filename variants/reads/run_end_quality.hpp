// SPDX-License-Identifier: MIT
// Provides lower qualities for bases that a sequencer read after a long homopolymer run.
#pragma once

#include "variants/reads/read_set.hpp"

namespace gannet::variants {

/// In a long homopolymer the molecules of a cluster get out of step. The bases after it are read with errors
/// that their qualities do not state, and that are the same in many reads: of one strand only, as those of
/// the other strand read these bases before the run. Qualities of the k_run_end_reach_bp bases that follow,
/// in the direction of sequencing, a run of at least k_run_bp equal bases are capped at k_run_end_quality:
/// alternate reads of that strand alone are then no proof. Linear in the bases of the reads.
void cap_qualities_after_runs(ReadSet& set);

inline constexpr size_t k_run_bp = 15;
inline constexpr size_t k_run_end_reach_bp = 40;
inline constexpr uint8_t k_run_end_quality = 12;

}  // namespace gannet::variants
