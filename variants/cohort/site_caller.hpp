// SPDX-License-Identifier: MIT
// Provides the genotypes of all samples at one site.
#pragma once

#include "data/cohort_record.hpp"
#include "variants/cohort/family.hpp"
#include "variants/cohort/frequencies.hpp"
#include "variants/cohort/projection.hpp"
#include "variants/cohort/sample_window.hpp"
#include "variants/cohort/site_quality.hpp"
#include "variants/cohort/sites.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gannet::variants::cohort {

/// A father, a mother (one of them may be unknown) and their children, as indices of samples.
struct Kinship {
    std::optional<size_t> father;
    std::optional<size_t> mother;
    std::vector<size_t> children;
};

/// Scratch memory and the steps of a site; one object per thread.
class SiteCaller {
  public:
    /// Genotypes of families are those of their joint posterior. A sample that is a child in one family and a
    /// parent in another one has the genotype of the first; to the other one it is a founder.
    explicit SiteCaller(std::span<const Kinship> families = {}) : families_(families) {}

    /// False where no sample has an alternate: then `out` is not a record. Alternates that no sample has are
    /// left out, and the others genotyped again. QUAL is the Phred-scaled posterior probability that no
    /// sample has an alternate (a deletion that began earlier is none). `out.contig` is left as it is.
    /// `is_y`: the contig is the Y chromosome, so a haploid child has its father's copy.
    bool call(const std::vector<SampleWindow>& samples, Site site, data::CohortRecord& out,
              bool is_y = false);

  private:
    void project_all(const std::vector<SampleWindow>& samples, const Site& site, data::CohortRecord& out);
    void estimate(const Site& site, const data::CohortRecord& out);
    void genotype(const Site& site, data::CohortRecord& out, bool is_y);
    void take_posteriors(const data::CohortRecord& out);
    void solve_families(const Site& site, const data::CohortRecord& out, bool is_y);
    void finish_families(data::CohortRecord& out);
    void finish_sample(size_t index, data::CohortSample& sample) const;
    int64_t quality_of_founders(const Site& site, const data::CohortRecord& out);
    int64_t quality_of_families(const Site& site, const data::CohortRecord& out);
    FamilyMember member(std::optional<size_t> index, const data::CohortRecord& out) const;
    bool is_informed(size_t sample) const { return projections_[sample].is_informed; }
    static bool drop_absent(Site& site, const data::CohortRecord& out);

    std::span<const Kinship> families_;
    std::vector<Projection> projections_;  ///< by sample
    Frequencies frequencies_;
    Family family_;
    std::vector<double> unknown_;  ///< likelihoods of a sample of which nothing is known
    std::vector<bool> in_family_;
    std::vector<size_t> order_;  ///< of informed samples: their number in frequencies_
    std::vector<std::vector<double>> posteriors_;
    std::vector<double> de_novo_;         ///< by sample; below 0: not a child
    std::vector<bool> is_founder_;        ///< not a child
    std::vector<HaploidSource> sources_;  ///< by family
    FamilyResult result_;
    SiteQuality site_quality_;
};

}  // namespace gannet::variants::cohort
