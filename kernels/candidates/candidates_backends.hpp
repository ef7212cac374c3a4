// SPDX-License-Identifier: MIT
// Provides the backends of the op candidates by name, and what they share; callers go through
// candidates_function().
#pragma once

#include "kernels/candidates/candidates.hpp"

#include <cstdint>
#include <optional>
#include <vector>

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

/// Throws std::invalid_argument where parameters or the number of reads are not as the contract has them.
void check(const CandidateParameters& parameters, uint64_t reads);
/// The same, and where hits are of other reads.
void check(const CandidateParameters& parameters, const ReadBatchView& reads, const SeedHitsView& hits);
/// Results of no reads; keeps the memory.
void clear(CandidateResults& results);

/// Appends the jobs of a candidate's gapped sides, left then right (step 7), and notes them in it.
void add_jobs(const CandidateParameters& parameters, const GenomeView& genome, uint32_t read,
              uint32_t read_length, Candidate& candidate, std::vector<ExtensionJob>& jobs);

// Of the backend reference, for the oracle of the op rescue.
/// Step 3 of the contract for a read and one diagonal.
std::optional<Candidate> compare_reference(const CandidateParameters& parameters, const GenomeView& genome,
                                           const ReadBatchView& reads, uint32_t read, int64_t diagonal,
                                           uint8_t strand);
/// Step 7 of a gapped side.
ExtensionJob job_reference(const CandidateParameters& parameters, const GenomeView& genome,
                           const ReadBatchView& reads, uint32_t read, const Candidate& candidate, bool left);

}  // namespace candidates

}  // namespace gannet::kernels
