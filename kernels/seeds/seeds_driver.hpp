// SPDX-License-Identifier: MIT
// Provides seeding over any of the reads of a batch, in lock-step, for the backends that run on the
// host.
#pragma once

#include "kernels/seeds/seeds_lockstep.hpp"

#include <cstdint>
#include <span>

namespace gannet::kernels::seeds {

/// Seeds reads `chosen` of the batch, in ascending order; `out` has them in this order, and no others.
void seed_in_lockstep(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                      std::span<const uint32_t> chosen, SeedHits& out);

}  // namespace gannet::kernels::seeds
