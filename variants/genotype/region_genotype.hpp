// SPDX-License-Identifier: MIT
// Provides the genotypes of an active region: likelihoods of one or two copies of its haplotypes, and from
// them those of each site.
#pragma once

#include "variants/alleles/haplotypes.hpp"
#include "variants/alleles/likelihoods.hpp"
#include "variants/genotype/genotype.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// A region with its likelihoods; all spans must stay valid while its sites are used.
struct RegionCase {
    std::span<const Allele> alleles;
    std::span<const AllelePrior> priors;    ///< one per allele
    std::span<const AlleleSet> haplotypes;  ///< the first one is the reference
    std::span<const LikelihoodRow> rows;
    std::span<const int32_t> likelihoods;  ///< rows x haplotypes
    /// For each allele the first base beyond it, wherever it may be shifted: reads that end before do not
    /// show it.
    std::span<const int64_t> allele_ends;
    Contamination contamination;  ///< of the sample
    int64_t region_bp = 0;
    /// Of the reference haplotype, that the pair-HMM got. 0: haplotypes are taken to be equally long.
    int64_t haplotype_bp = 0;
    /// Positions of records, ascending, and rows x positions. Empty: there are no rank sums.
    std::span<const int64_t> positions = {};
    std::span<const ReadPlace> places = {};
};

/// The alleles of one VCF record: indices into the region's.
struct RegionSite {
    std::vector<uint32_t> alleles;
    std::vector<AllelePrior> priors;  ///< the reference's (0), then one per allele
    int64_t end = 0;                  ///< of its alleles, as RegionCase::allele_ends
};

class RegionGenotyper {
  public:
    /// Merges the rows of mates and finds the sites.
    void load(const RegionCase& region);
    /// Sites by record position; SNVs and indels of one position are separate sites. Valid until the next
    /// load.
    std::span<const RegionSite> sites() const { return {sites_.data(), site_count_}; }
    /// Likelihoods of the genotypes of a site with `ploidy` copies, and its informative fragments. Priors are
    /// in them only of what other sites explain instead: of the alleles there, the rarest one's. `site`: of
    /// sites(). The haplotypes of the region are scored once for all sites of one ploidy.
    void evidence_of(const RegionSite& site, size_t ploidy, SiteEvidence& out);
    /// The alleles, of haplotypes of the region, that delete the position of the site's record.
    AlleleSet spanning_deletions(const RegionSite& site) const;
    /// As evidence_of, with `*` as the last allele: haplotypes with one of `deletions`.
    void evidence_of(const RegionSite& site, size_t ploidy, AlleleSet deletions, SiteEvidence& out);
    int64_t record_position(const RegionSite& site) const {
        return region_.alleles[site.alleles.front()].record_position();
    }

  private:
    struct Fragment {
        uint64_t id = 0;
        uint32_t row = 0;
        uint32_t mate_row = 0;  ///< of the overlapping mate, else the same
        uint8_t mapping_quality = 0;
        bool reverse = false;
        uint64_t name_hash = 0;
        int64_t begin = 0, end = 0;
    };
    void merge_rows();
    bool measure_haplotypes();
    void score(size_t ploidy);
    void find_sites();
    void add_places(const Fragment& fragment, size_t position, size_t allele, SiteEvidence& out) const;
    void count_fragments(const RegionSite& site, std::span<const size_t> allele_of, SiteEvidence& out) const;
    size_t allele_at(const RegionSite& site, AlleleSet haplotype) const;
    uint64_t improbable_haplotypes(const RegionSite& site, size_t ploidy) const;
    Genotype genotype_at(const RegionSite& site, const Genotype& haplotypes) const;
    /// Of a genotype of haplotypes: the least prior of its genotypes at the sites, at which site, and the
    /// least of the other sites.
    struct RarestSites {
        LogProbability rarest = 0;
        LogProbability next = 0;
        size_t site = 0;
    };
    RarestSites rarest_of(const Genotype& haplotypes) const;
    LogProbability prior_beside(size_t site, size_t pair) const;
    std::array<LogProbability, 2> other_prior(size_t haplotype, const Genotype& haplotypes) const;
    void add_unobserved(const size_t* allele_of, SiteEvidence& out);

    RegionCase region_;
    std::vector<Fragment> fragments_;
    std::vector<int32_t> matrix_;          // fragments x haplotypes
    std::vector<int64_t> changes_;         // of the length of each haplotype
    std::vector<LogProbability> weights_;  // of each haplotype, see score()
    int64_t read_starts_ = 0;  // positions of the reference haplotype at which a read of the region may begin
    std::vector<int32_t> weighted_;          // a row of the matrix
    size_t scored_ploidy_ = 0;               // that scores_ are of; 0: none yet
    std::vector<int64_t> scores_;            // of genotypes of haplotypes, in VCF's order: of the reads
    std::vector<RarestSites> rarest_;        // as scores_
    std::vector<Genotype> best_haplotypes_;  // of each genotype of a site
    std::vector<LogProbability>
        unobserved_;  // of each fragment: how an allele that no read shows would fit it
    std::vector<RegionSite> sites_;
    size_t site_count_ = 0;
};

}  // namespace gannet::variants
