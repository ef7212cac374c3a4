// SPDX-License-Identifier: MIT
// Provides the backends of the op candidates by name, and what they share; callers go through
// candidates_function().
#pragma once

#include "kernels/candidates/candidates.hpp"

namespace gannet::kernels {

void candidates_reference(Stream&, const CandidateParameters& parameters, const GenomeView& genome,
                          const ReadBatchView& reads, const SeedHitsView& hits, CandidateResults& results);
void candidates_words(Stream&, const CandidateParameters& parameters, const GenomeView& genome,
                      const ReadBatchView& reads, const SeedHitsView& hits, CandidateResults& results);
void candidates_emulated(Stream&, const CandidateParameters& parameters, const GenomeView& genome,
                         const ReadBatchView& reads, const SeedHitsView& hits, CandidateResults& results);
void candidates_cuda(Stream& stream, const CandidateParameters& parameters, const GenomeView& genome,
                     const ReadBatchView& reads, const SeedHitsView& hits, CandidateResults& results);

namespace candidates {

/// Throws std::invalid_argument where parameters or numbers of reads are not as the contract has them.
void check(const CandidateParameters& parameters, const ReadBatchView& reads, const SeedHitsView& hits);
/// Results of no reads; keeps the memory.
void clear(CandidateResults& results);

}  // namespace candidates

}  // namespace gannet::kernels
