// SPDX-License-Identifier: MIT
// Provides the backends of the op find_candidates by name; callers go through find_candidates_function().
#pragma once

#include "kernels/find_candidates/find_candidates.hpp"

namespace gannet::kernels {

void find_candidates_reference(Stream&, const CandidateParameters& parameters, const SeedIndexView& index,
                               const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found);
void find_candidates_simd(Stream&, const CandidateParameters& parameters, const SeedIndexView& index,
                          const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found);
void find_candidates_emulated(Stream&, const CandidateParameters& parameters, const SeedIndexView& index,
                              const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found);
/// Only in a build with CUDA.
void find_candidates_cuda(Stream& stream, const CandidateParameters& parameters, const SeedIndexView& index,
                          const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found);

namespace find_candidates {

/// Throws std::invalid_argument where something is not as the contract has it.
void check(const CandidateParameters& parameters, const SeedIndexView& index, const ReadBatchView& reads);

}  // namespace find_candidates

}  // namespace gannet::kernels
