// SPDX-License-Identifier: MIT
// Provides the op rescue for one window after another, 128 diagonals at a time: what the backend simd runs,
// and what the aligner calls between its own steps.
#pragma once

#include "kernels/candidates/mismatches.hpp"
#include "kernels/rescue/rescue.hpp"

#include <cstdint>
#include <vector>

namespace gannet::kernels::rescue {

/// Memory is kept for the next use.
struct WordsScratch {
    std::vector<uint64_t> planes;
    candidates::Mismatches mismatches;
};

/// Step 1 of the contract: the diagonal that is found, or -1. `read`: the words of the window's strand.
int64_t search(const GenomeView& genome, const uint64_t* read, uint32_t length, const RescueWindow& window,
               std::vector<uint64_t>& planes);

/// Appends the results of windows [first, last), those before which `results` holds. The memory of all of
/// these is asked for before the first is searched.
void append_windows(const CandidateParameters& parameters, const GenomeView& genome,
                    const ReadBatchView& reads, const RescueWindows& windows, size_t first, size_t last,
                    WordsScratch& scratch, RescueResults& results);

}  // namespace gannet::kernels::rescue
