// SPDX-License-Identifier: MIT
// Provides the likelihoods of one sample over the alleles of a site of the cohort.
#pragma once

#include "variants/cohort/sample_window.hpp"
#include "variants/cohort/sites.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace gannet::variants::cohort {

/// What a sample's own record says of the alleles of a site.
struct Projection {
    bool has_record = false;  ///< some record covers the site
    /// `phred` holds something: not all genotypes are equally likely, and none that the site cannot express
    /// is far more likely than all others.
    bool is_informed = false;
    int ploidy = 2;
    int32_t depth = -1;           ///< -1: not known
    std::vector<int32_t> phred;   ///< PL over the site's alleles, the best 0; empty where not known
    std::vector<int32_t> depths;  ///< AD, by allele; empty where not known
    std::vector<bool> is_shown;   ///< by allele: the record has it, or events that became it
    std::array<int, 2> genotype = {-1, -1};  ///< the record's phased one, in its order; -1: of no such allele
    int32_t phase_set = -1;                  ///< of it; -1: it is not phased
};

/// The record is the sample's own with an allele of the site; else one of a deletion that spans the site;
/// else the one that covers it: mostly a block. Its alleles become those of the site: equal events each
/// other, a deletion that began earlier `*`, events elsewhere the reference. An allele of the site that the
/// record does not have gets the likelihoods of <*>, and genotypes that become the same one get the best of
/// theirs.
void project(const SampleWindow& sample, const Site& site, Projection& out);

}  // namespace gannet::variants::cohort
