// SPDX-License-Identifier: MIT
// Provides lower qualities for bases that a sequencer read after a long homopolymer run.
#pragma once

#include "variants/model/reads.hpp"
#include "variants/reads/read_set.hpp"

namespace gannet::variants {

/// In a long homopolymer the molecules of a cluster get out of step. The bases after it are read with errors
/// that their qualities do not state, and that are the same in many reads: of one strand only, as those of
/// the other strand read these bases before the run. Qualities of the k_run_end_reach_bp bases that follow,
/// in the direction of sequencing, a run of at least k_run_bp equal bases are capped at k_run_end_quality:
/// alternate reads of that strand alone are then no proof. Linear in the bases of the reads.
void cap_qualities_after_runs(ReadSet& set);

inline constexpr size_t k_run_bp = reads_number("run_end_min_run_bp");
inline constexpr size_t k_run_end_reach_bp = reads_number("run_end_reach_bp");
inline constexpr uint8_t k_run_end_quality = reads_number("run_end_quality");

}  // namespace gannet::variants
