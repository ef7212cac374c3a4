// SPDX-License-Identifier: MIT
// Provides the jobs of banded_sw for candidates that gaps may improve, and what their results mean.
#pragma once

#include "align/parameters.hpp"
#include "align/work_state.hpp"
#include "data/read_batch.hpp"
#include "data/reference.hpp"

namespace gannet::align {

/// Makes jobs and takes results. Holds references only; cheap to make.
class Extender {
  public:
    Extender(const data::ReadBatch& batch, const data::Reference& reference,
             const AlignerParameters& parameters, AlignmentWork& work)
        : batch_(batch), reference_(reference), parameters_(parameters), work_(work) {}

    /// Adds the score-only job.
    void add_job(const kernels::ExtensionJob& job) { add_job(job, 0); }
    /// Asks for the reference's bases that add_score_jobs() will read: what is asked for of several
    /// candidates arrives together.
    void fetch_targets(const Candidate& candidate, uint32_t read_length) const;
    /// Adds score-only jobs for the sides of `candidate` that need them.
    void add_score_jobs(uint32_t read, Candidate& candidate);
    /// Adds traceback jobs for the sides that banded_sw extended.
    void add_traceback_jobs(uint32_t read, const Candidate& candidate, Traced& traced);
    /// Replaces the ends and the score of the candidate with the results of its jobs.
    void take_scores(Candidate& candidate) const;

  private:
    /// The bases of a job, cut out of read and reference.
    uint32_t add_job(const kernels::ExtensionJob& job, uint8_t flags);
    uint32_t add_job(uint32_t read, const Candidate& candidate, bool left, uint8_t flags);

    const data::ReadBatch& batch_;
    const data::Reference& reference_;
    const AlignerParameters& parameters_;
    AlignmentWork& work_;
};

/// Takes the results of those jobs, drops redundant candidates and sorts the rest. Returns their number.
size_t take_extension_results(const Extender& extender, std::span<Candidate> candidates,
                              const AlignerParameters& parameters);

}  // namespace gannet::align
