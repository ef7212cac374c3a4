// SPDX-License-Identifier: MIT
// Provides the search for candidates on the backends of the host by name, for the op find_candidates and for
// tests, and what these and the op rescue share.
#pragma once

#include "kernels/candidates/candidates_warps.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gannet::kernels {

/// `results` are resized. Throw std::invalid_argument where something is not as the contract has it.
void candidates_reference(const CandidateParameters& parameters, const GenomeView& genome,
                          const ReadBatchView& reads, const SeedHitsView& hits, CandidateResults& results);
/// Of the backend simd. Cost: hits * log(hits), then a few operations for each 32 bases of each diagonal.
/// Scratch is kept per thread.
void candidates_words(const CandidateParameters& parameters, const GenomeView& genome,
                      const ReadBatchView& reads, const SeedHitsView& hits, CandidateResults& results);

namespace candidates {

/// Throws std::invalid_argument where parameters or the number of reads are not as the contract has them.
void check(const CandidateParameters& parameters, uint64_t reads);
/// The same, and where hits are of other reads.
void check(const CandidateParameters& parameters, const ReadBatchView& reads, const SeedHitsView& hits);
/// Results of no reads; keeps the memory.
void clear(CandidateResults& results);
/// Of the backend emulated: the device schedule on the host, all reads from the last to the first.
void run_warps(const CandidateArrays& arrays);
/// Appends what a warp left of a read that it has done.
void append(const ReadOutcome& outcome, const Candidate* candidates, const ExtensionJob* jobs,
            CandidateResults& results);

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
