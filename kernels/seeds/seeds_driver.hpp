// SPDX-License-Identifier: MIT
// Provides the op seeds over any of the reads of a batch, in lock-step, for the backends that run on the
// host.
#pragma once

#include "kernels/seeds/seeds_lockstep.hpp"

#include <functional>

namespace gannet::kernels::seeds {

/// Seeds reads `chosen` of the batch, in ascending order, and calls take(read, hits, parts, found) for each,
/// in this order.
void seed_in_lockstep(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                      std::span<const uint32_t> chosen,
                      const std::function<void(uint32_t, std::span<const uint64_t>,
                                               std::span<const DistinctPart>, LockstepSeeder::Found)>& take);

}  // namespace gannet::kernels::seeds
