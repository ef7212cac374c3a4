// SPDX-License-Identifier: MIT
// Provides the collection of what the warps of the op candidates left.
#include "kernels/candidates/candidates_plan.hpp"

#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/candidates/candidates_words.hpp"

namespace gannet::kernels::candidates {
namespace {

void append(const CandidateArrays& arrays, const ReadOutcome& outcome, CandidateResults& results) {
    const auto first_job = static_cast<uint32_t>(results.jobs.size());
    for (uint64_t k = 0; k < outcome.candidates; ++k) {
        Candidate candidate = arrays.candidates[outcome.candidate_begin + k];
        if (candidate.left_gapped) candidate.left_job += first_job;
        if (candidate.right_gapped) candidate.right_job += first_job;
        results.candidates.push_back(candidate);
    }
    const ExtensionJob* const jobs = arrays.jobs + outcome.job_begin;
    results.jobs.insert(results.jobs.end(), jobs, jobs + outcome.jobs);
    results.left_out.push_back(outcome.left_out);
    results.candidate_begin.push_back(static_cast<uint32_t>(results.candidates.size()));
}

}  // namespace

void collect(const CandidateArrays& arrays, CandidateResults& results) {
    static thread_local WordsScratch scratch;
    clear(results);
    for (uint32_t read = 0; read < arrays.reads.reads; ++read) {
        if (arrays.outcomes[read].done != 0) {
            append(arrays, arrays.outcomes[read], results);
        } else {
            append_reads(arrays.genome, arrays.parameters, arrays.reads, arrays.hits, read, read + 1, scratch,
                         results);
        }
    }
}

}  // namespace gannet::kernels::candidates
