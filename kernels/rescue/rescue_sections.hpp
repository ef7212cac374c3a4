// SPDX-License-Identifier: MIT
// Provides where the arrays of a batch of the op rescue lie in the memory of a device, and in the pinned
// memory that is copied to and from it.
#pragma once

#include "kernels/cuda/layout.hpp"
#include "kernels/reads/read_sections.hpp"
#include "kernels/rescue/rescue_plan.hpp"

#include <cstdint>

namespace gannet::kernels::rescue {

/// Inputs are bytes [0, input_bytes), results [input_bytes, bytes).
struct BatchSections {
    ReadSections reads;
    cuda::Section<RescueWindow> windows;
    cuda::Section<int64_t> diagonals;
    cuda::Section<Candidate> candidates;
    uint64_t input_bytes = 0;
    uint64_t bytes = 0;

    explicit BatchSections(const NamedReads& named) {
        cuda::Layout layout;
        reads = ReadSections(layout, named.view(), true);
        windows = layout.add(named.windows());
        input_bytes = layout.bytes();
        diagonals = layout.add<int64_t>(windows.count);
        candidates = layout.add<Candidate>(windows.count);
        bytes = layout.bytes();
    }

    void fill_inputs(void* block, const NamedReads& named) const {
        reads.fill(block, named.view());
        cuda::fill(block, windows, named.windows());
    }

    /// The arrays in a block of the device.
    RescueArrays in(void* block, const CandidateParameters& parameters, const GenomeView& genome) const {
        return {parameters,
                genome,
                reads.in(block),
                windows.in(block),
                static_cast<uint32_t>(windows.count),
                diagonals.in(block),
                candidates.in(block)};
    }
};

}  // namespace gannet::kernels::rescue
