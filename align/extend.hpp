// SPDX-License-Identifier: MIT
// Provides the jobs of banded_sw for candidates that gaps may improve, and what their results mean.
#pragma once

#include "align/ungapped.hpp"
#include "kernels/candidates/candidates.hpp"
#include "kernels/genome/genome_view.hpp"

namespace gannet::align {

/// Makes jobs and takes results. Cheap to make.
class Extender {
  public:
    Extender(const kernels::GenomeView& genome, const AlignerParameters& parameters, AlignmentWork& work)
        : genome_(genome), parameters_(candidate_parameters(parameters, 0)), work_(work) {}

    /// Adds jobs of the traceback round for the sides of `candidate` that banded_sw extended.
    void add_traceback_jobs(uint32_t read, const Candidate& candidate, Traced& traced);
    /// Replaces the ends and the score of the candidate with the results of its jobs.
    void take_scores(Candidate& candidate) const;

  private:
    uint32_t add_job(uint32_t read, const Candidate& candidate, bool left);

    const kernels::GenomeView& genome_;
    const kernels::CandidateParameters parameters_;
    AlignmentWork& work_;
};

/// Takes the results of those jobs, drops redundant candidates and sorts the rest. Returns their number.
size_t take_extension_results(const Extender& extender, std::span<Candidate> candidates,
                              const AlignerParameters& parameters);

}  // namespace gannet::align
