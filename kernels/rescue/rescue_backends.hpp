// SPDX-License-Identifier: MIT
// Provides the backends of the op rescue by name, and what they share; callers go through rescue_function().
#pragma once

#include "kernels/rescue/rescue.hpp"

namespace gannet::kernels {

void rescue_reference(Stream&, const CandidateParameters& parameters, const GenomeView& genome,
                      const ReadBatchView& reads, const RescueWindows& windows, RescueResults& results);
void rescue_words(Stream&, const CandidateParameters& parameters, const GenomeView& genome,
                  const ReadBatchView& reads, const RescueWindows& windows, RescueResults& results);
void rescue_emulated(Stream&, const CandidateParameters& parameters, const GenomeView& genome,
                     const ReadBatchView& reads, const RescueWindows& windows, RescueResults& results);
/// Only in a build with CUDA.
void rescue_cuda(Stream& stream, const CandidateParameters& parameters, const GenomeView& genome,
                 const ReadBatchView& reads, const RescueWindows& windows, RescueResults& results);

namespace rescue {

/// Throws std::invalid_argument where something is not as the contract has it.
void check(const CandidateParameters& parameters, const ReadBatchView& reads, const RescueWindows& windows);
/// Appends what window `index` found, and its jobs.
void append(const CandidateParameters& parameters, const GenomeView& genome, const ReadBatchView& reads,
            const RescueWindows& windows, uint32_t index, const Candidate& found, RescueResults& results);

}  // namespace rescue

}  // namespace gannet::kernels
