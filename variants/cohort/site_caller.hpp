// SPDX-License-Identifier: MIT
// Provides the genotypes of all samples at one site.
#pragma once

#include "data/cohort_record.hpp"
#include "variants/cohort/frequencies.hpp"
#include "variants/cohort/projection.hpp"
#include "variants/cohort/sample_window.hpp"
#include "variants/cohort/sites.hpp"

#include <cstdint>
#include <vector>

namespace gannet::variants::cohort {

/// Scratch memory and the steps of a site; one object per thread.
class SiteCaller {
  public:
    /// False where no sample has an alternate: then `out` is not a record. Alternates that no sample has are
    /// left out, and the others genotyped again. QUAL is the Phred-scaled posterior probability that no
    /// sample has an alternate (a deletion that began earlier is none). `out.contig` is left as it is.
    bool call(const std::vector<SampleWindow>& samples, Site site, data::CohortRecord& out);

  private:
    void project_all(const std::vector<SampleWindow>& samples, const Site& site, data::CohortRecord& out);
    void estimate(const Site& site, const data::CohortRecord& out);
    void genotype(const Site& site, data::CohortRecord& out);
    static bool drop_absent(Site& site, const data::CohortRecord& out);

    Projection projection_;
    Frequencies frequencies_;
    std::vector<bool> informed_;
    std::vector<double> posterior_;
};

}  // namespace gannet::variants::cohort
