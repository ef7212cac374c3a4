// SPDX-License-Identifier: MIT
// Provides the jobs of banded_sw for candidates that gaps may improve, and what their results mean.
#pragma once

#include "align/parameters.hpp"
#include "align/work_state.hpp"
#include "kernels/genome/genome_view.hpp"

namespace gannet::align {

/// Makes jobs and takes results. Holds references only; cheap to make.
class Extender {
  public:
    Extender(const kernels::GenomeView& genome, const AlignerParameters& parameters, AlignmentWork& work)
        : genome_(genome), parameters_(parameters), work_(work) {}

    /// Adds jobs for the sides of `candidate` that need them.
    void add_score_jobs(uint32_t read, Candidate& candidate);
    /// The same for the alignments of the traceback round: the sides that banded_sw extended.
    void add_traceback_jobs(uint32_t read, const Candidate& candidate, Traced& traced);
    /// Replaces the ends and the score of the candidate with the results of its jobs.
    void take_scores(Candidate& candidate) const;

  private:
    uint32_t add_job(uint32_t read, const Candidate& candidate, bool left);

    const kernels::GenomeView& genome_;
    const AlignerParameters& parameters_;
    AlignmentWork& work_;
};

/// Takes the results of those jobs, drops redundant candidates and sorts the rest. Returns their number.
size_t take_extension_results(const Extender& extender, std::span<Candidate> candidates,
                              const AlignerParameters& parameters);

}  // namespace gannet::align
