// SPDX-License-Identifier: MIT
// Provides the driver of the backend simd: forms groups of jobs, runs the code of an instruction set on them,
// traces back, and puts results in order.
#pragma once

#include "kernels/banded_sw/banded_sw_backends.hpp"
#include "kernels/banded_sw/banded_sw_lanes.hpp"

namespace gannet::kernels::banded_sw {

void extend_in_groups(const LaneFunctions& functions, const BandedSwScoring& scoring,
                      const BandedSwBatch& batch, BandedSwResults& results);

}  // namespace gannet::kernels::banded_sw
