// SPDX-License-Identifier: MIT
// Provides the backends of the op pairing by name, and what they share; callers go through
// pairing_function().
#pragma once

#include "kernels/pairing/pairing.hpp"

#include <cstdint>
#include <vector>

namespace gannet::kernels {

void pairing_reference(Stream&, const PairingParameters& parameters, const GenomeView& genome,
                       const ReadBatchView& reads, const PairingBatch& batch, std::vector<PlacedRead>& out);
void pairing_simd(Stream&, const PairingParameters& parameters, const GenomeView& genome,
                  const ReadBatchView& reads, const PairingBatch& batch, std::vector<PlacedRead>& out);
void pairing_emulated(Stream&, const PairingParameters& parameters, const GenomeView& genome,
                      const ReadBatchView& reads, const PairingBatch& batch, std::vector<PlacedRead>& out);
/// Only in a build with CUDA.
void pairing_cuda(Stream& stream, const PairingParameters& parameters, const GenomeView& genome,
                  const ReadBatchView& reads, const PairingBatch& batch, std::vector<PlacedRead>& out);

namespace pairing {

/// The Totals (pairing_cell.hpp) of the host, of a template at a time; not cleared between them.
struct HostTotals {
    int32_t* values;  ///< 2 * k_max_candidates

    int32_t& at(uint32_t side, uint32_t index) const { return values[side * k_max_candidates + index]; }
};

/// Throws std::invalid_argument where something is not as the contract has it.
void check(const PairingParameters& parameters, const ReadBatchView& reads, const PairingBatch& batch);

}  // namespace pairing

}  // namespace gannet::kernels
