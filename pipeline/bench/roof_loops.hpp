// SPDX-License-Identifier: MIT
// Provides loops that do the arithmetic of a kernel's cells in registers alone: what the machine's vector
// units could do at best.
#pragma once

#include "kernels/backend.hpp"

#include <cstdint>

namespace gannet::pipeline::bench {

/// One such loop for one instruction set.
struct RoofLoop {
    /// Does `rounds` rounds; returns a value that depends on them all.
    uint64_t (*run)(uint64_t rounds) = nullptr;  ///< null: the instruction set has no such kernel
    uint64_t work = 0;                           ///< of a round: cells, products
};

/// A cell of banded_sw in bytes: four saturating additions, five minima, an xor and a byte shuffle, which is
/// what its recurrence asks for (kernels/banded_sw/banded_sw_cell.hpp and the row's lowest cost). In words
/// half as many lanes do the same.
RoofLoop banded_sw_loop(kernels::SimdLevel level);
/// A cell of pair_hmm in fp32: five fused multiply-adds, a multiplication, an addition, and a shift and a
/// blend for the prior (kernels/pair_hmm/pair_hmm_cell.hpp).
RoofLoop pair_hmm_loop(kernels::SimdLevel level);
/// Products of pileup_network: a vector of bytes by one of weights, their sums of two and of four, and the
/// addition to a sum (three operations).
RoofLoop pileup_network_loop(kernels::SimdLevel level);

}  // namespace gannet::pipeline::bench
