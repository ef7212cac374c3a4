// SPDX-License-Identifier: MIT
// Provides the genotypes of all samples at one site.
#pragma once

#include "data/cohort_record.hpp"
#include "variants/cohort/family.hpp"
#include "variants/cohort/frequencies.hpp"
#include "variants/cohort/kinship.hpp"
#include "variants/cohort/projection.hpp"
#include "variants/cohort/sample_window.hpp"
#include "variants/cohort/site_quality.hpp"
#include "variants/cohort/sites.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace gannet::variants::cohort {

/// Scratch memory and the steps of a site; one object per thread.
class SiteCaller {
  public:
    /// Genotypes of families are those of their joint posterior. A sample that is a child in one family and a
    /// parent in another one has the genotype of the first; to the other one it is a founder.
    explicit SiteCaller(std::span<const Kinship> families = {})
        : all_families_(families), kinship_(families) {}

    /// False where no sample has an alternate: then `out` is not a record. Alternates that no sample has are
    /// left out, and the others genotyped again. QUAL is the Phred-scaled posterior probability that no
    /// sample has an alternate (a deletion that began earlier is none). `out.contig` is left as it is.
    /// Where males have one copy, nothing is transmitted from a father or to a son whose record has two.
    bool call(const std::vector<SampleWindow>& samples, Site site, data::CohortRecord& out,
              const Inheritance& inheritance = {});
    /// Of all autosomal sites so far.
    const KinshipCheck& kinship() const { return kinship_; }
    /// Of fathers and sons: sites where males have one copy, by how many their records have.
    struct CopiesSeen {
        uint64_t one = 0;
        uint64_t two = 0;
    };
    const std::map<size_t, CopiesSeen>& males() const { return males_; }

  private:
    void project_all(const std::vector<SampleWindow>& samples, const Site& site, data::CohortRecord& out);
    void choose_families(const data::CohortRecord& out, const Inheritance& inheritance);
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

    std::span<const Kinship> all_families_;
    std::span<const Kinship> families_;      ///< of the site
    std::vector<Kinship> haploid_families_;  ///< where males have one copy
    KinshipCheck kinship_;
    std::map<size_t, CopiesSeen> males_;
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
