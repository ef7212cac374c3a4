// SPDX-License-Identifier: MIT
// Provides seeding on the backend `emulated`: the device schedule, run on the host lane by lane.
#include "kernels/seeds/seeds_backends.hpp"
#include "kernels/seeds/seeds_schedule.hpp"

#include <vector>

namespace gannet::kernels::seeds {

/// Backwards, as warps need not come in the order of the reads.
void run_warps(const Job& job) {
    static thread_local std::vector<uint64_t> memory;
    memory.resize(SeedArrays::bytes(job.seed_capacity) / sizeof(uint64_t));
    const SeedArrays arrays = SeedArrays::in(
        memory.data(), reinterpret_cast<uint32_t*>(memory.data() + job.seed_capacity), job.seed_capacity);
    WarpScratch scratch;
    for (uint32_t read = job.reads.reads; read-- > 0;)
        WarpSeeder<HostWarp>(HostWarp(read), job, arrays, scratch, read).run();
}

}  // namespace gannet::kernels::seeds
