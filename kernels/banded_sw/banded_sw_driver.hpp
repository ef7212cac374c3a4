// SPDX-License-Identifier: MIT
// Provides the driver of the backends that work on groups of jobs: forms groups, traces back, and puts
// results in order.
#pragma once

#include "kernels/banded_sw/banded_sw_backends.hpp"
#include "kernels/banded_sw/banded_sw_group.hpp"

namespace gannet::kernels::banded_sw {

void extend_in_groups(const LaneFunctions& functions, const BandedSwScoring& scoring,
                      const BandedSwBatch& batch, BandedSwResults& results);

}  // namespace gannet::kernels::banded_sw
