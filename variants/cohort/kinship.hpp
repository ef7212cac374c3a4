// SPDX-License-Identifier: MIT
// Provides who is whose child in a cohort, and whether the samples' own genotypes contradict it.
#pragma once

#include "data/cohort_record.hpp"
#include "variants/cohort/sites.hpp"

#include <cstddef>
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
    std::vector<size_t> sons = {};  ///< of the children
};

/// How a site is inherited.
struct Inheritance {
    bool is_autosomal = true;         ///< kinship is checked there
    bool is_y = false;                ///< a haploid child has its father's copy
    bool is_single_in_males = false;  ///< X and Y outside of the pseudoautosomal regions
};

/// Counts, for each parent and child, SNV sites at which both are homozygous, one of them for an alternate,
/// by their own likelihoods; and at how many of these they have no allele in common, which a parent and a
/// child have by an error or a lost copy only (IBS0: Manichaikul et al. 2010, Bioinformatics 26:2867). With
/// the allele frequencies of Europeans (1000 Genomes), 39 % of the sites are opposite in unrelated persons,
/// 22 % in second-degree relatives, 10 % in full siblings. New mutations of a child do not count: they leave
/// it heterozygous.
class KinshipCheck {
  public:
    struct Pair {
        size_t parent = 0;
        size_t child = 0;
        uint64_t sites = 0;
        uint64_t opposite = 0;
    };

    explicit KinshipCheck(std::span<const Kinship> families);
    /// `record`: of the site, with the samples' own likelihoods, as far as they are known.
    void add(const Site& site, const data::CohortRecord& record);
    void add(const KinshipCheck& other);
    /// The first pair that is none, of those with enough sites to say so; at the end few may be enough.
    std::optional<Pair> contradiction(bool is_end) const;

  private:
    std::vector<Pair> pairs_;
    std::vector<std::optional<size_t>> alleles_;  // scratch, by sample: of which it is homozygous
};

}  // namespace gannet::variants::cohort
