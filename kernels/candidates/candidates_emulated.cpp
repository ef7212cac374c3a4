// SPDX-License-Identifier: MIT
// Provides the search for candidates on the backend `emulated`: the device schedule, run on the host lane by
// lane.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/candidates/candidates_schedule.hpp"

#include <memory>

namespace gannet::kernels::candidates {

/// Backwards: where the results of a read are must not matter.
void run_warps(const CandidateArrays& arrays) {
    static thread_local const auto shared = std::make_unique<WarpShared>();
    static thread_local const auto scratch = std::make_unique<WarpScratch>();
    for (uint32_t read = arrays.reads.reads; read-- > 0;)
        ReadSchedule(HostWarp(read), arrays, *shared, *scratch, read).run();
}

}  // namespace gannet::kernels::candidates
