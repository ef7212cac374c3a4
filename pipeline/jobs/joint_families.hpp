// SPDX-License-Identifier: MIT
// Provides the families of a cohort: from a pedigree, and whether the gVCFs contradict it.
#pragma once

#include "data/reference.hpp"
#include "pipeline/jobs/ploidy.hpp"
#include "variants/cohort/kinship.hpp"
#include "variants/cohort/site_caller.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gannet::pipeline {

/// Keeps references to what it is made of.
class JointFamilies {
  public:
    /// Of the pedigree those parents and children that are samples; none with an empty path. Throws what
    /// load_pedigree throws.
    JointFamilies(const std::string& pedigree, const std::vector<std::string>& samples,
                  const data::Reference& reference);

    std::span<const variants::cohort::Kinship> kinships() const { return kinships_; }
    variants::cohort::Inheritance at(uint32_t contig, int64_t position) const;
    /// What a caller of kinships() saw.
    void add(const variants::cohort::SiteCaller& caller);
    /// Throws Error(reference_mismatch) where a parent and a child are none by their genotypes: as soon as
    /// there are enough sites to say so, or at the end.
    void check(bool is_end) const;
    void warn_of_diploid_males() const;

  private:
    const std::string& pedigree_;
    const std::vector<std::string>& samples_;
    const data::Reference& reference_;
    SexChromosomes sexes_;
    std::optional<KnownAssembly> assembly_;
    std::vector<variants::cohort::Kinship> kinships_;
    variants::cohort::KinshipCheck check_;
    std::map<size_t, variants::cohort::SiteCaller::CopiesSeen> males_;
};

}  // namespace gannet::pipeline
