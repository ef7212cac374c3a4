// SPDX-License-Identifier: MIT
// Provides the host's side of the device schedule of the op candidates: the room for results, and these put
// in the order of the reads.
#pragma once

#include "kernels/candidates/candidates_warps.hpp"

#include <cstdint>

namespace gannet::kernels::candidates {

/// What all reads of a batch share. Most have one or two candidates, and one in ten an extension; a read for
/// whose results nothing is left is done by the host.
struct ResultRoom {
    uint64_t candidates = 0;
    uint64_t jobs = 0;
};
constexpr ResultRoom result_room(uint64_t reads) { return {4 * reads + 256, 2 * reads + 256}; }

/// Puts together what the warps left in `arrays` (of the host), and does what they left undone.
void collect(const CandidateArrays& arrays, CandidateResults& results);

}  // namespace gannet::kernels::candidates
