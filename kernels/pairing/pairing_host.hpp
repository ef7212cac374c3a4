// SPDX-License-Identifier: MIT
// Provides the memory of the choice of a template (pairing_cell.hpp) on the host: for the backend simd, and
// for the aligner, which calls the same code between its own steps.
#pragma once

#include "kernels/pairing/pairing_cell.hpp"

#include <cstdint>

namespace gannet::kernels::pairing {

/// Of a template at a time; not cleared between them.
struct HostTotals {
    int32_t* values;  ///< 2 * k_max_candidates

    int32_t& at(uint32_t side, uint32_t index) const { return values[side * k_max_candidates + index]; }
};

}  // namespace gannet::kernels::pairing
