// SPDX-License-Identifier: MIT
// Provides genotypes of single sites: from likelihoods and priors of genotypes to a called variant.
#pragma once

#include "data/variant.hpp"
#include "variants/arithmetic/genotype_order.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/genotype/allele_prior.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/sample/contamination.hpp"
#include "variants/sequence/allele.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gannet::variants {

/// A fragment that shows an allele of a site.
struct FragmentAllele {
    uint64_t fragment = 0;  ///< hash of the read name: equal for mates, however far apart
    uint8_t allele = 0;     ///< of the site's evidence
    uint8_t phred = 0;      ///< how much more probable it is than the other alleles
};

/// What the rank-sum tests compare: of a read with a base at the position of the record. Of a site of a
/// region its fragment is informative; in the pile-up the base may be of any quality.
struct PlacedRead {
    uint8_t allele = 0;  ///< of the site's evidence
    uint8_t mapping_quality = 0;
    ReadPlace place;
};

/// Likelihoods and read counts of one site with `alleles` alleles, the reference first.
struct SiteEvidence {
    size_t alleles = 0;
    size_t ploidy = k_max_ploidy;  ///< copies of the site, at least 1
    /// Whether `genotypes` goes on with those that have an allele beyond `alleles`: one that no read shows.
    /// To be set before reset(), which keeps it.
    bool has_unobserved = false;
    std::vector<int64_t> genotypes;   ///< log10 P(reads | genotype), VCF order
    std::vector<AllelePrior> priors;  ///< of each allele, [0] unused
    std::vector<std::array<int32_t, 2>>
        strands;                          ///< informative fragments, by allele and strand (forward, reverse)
    int64_t squared_mapping_quality = 0;  ///< summed over those fragments
    int32_t fragments = 0;
    std::vector<FragmentAllele> seen;  ///< those of them that reach over the site
    std::vector<PlacedRead> places;    ///< for the rank sums; overlapping mates apart, as GATK has them
    /// The last allele is `*`: haplotypes from which a deletion that began before has removed the site. It
    /// is no variant of this site: its prior is that of the reference.
    bool has_spanning_deletion = false;

    bool is_spanning(size_t allele) const { return has_spanning_deletion && allele + 1 == alleles; }
    /// Whether a copy has an allele other than the reference and `*`.
    bool is_variant(const Genotype& genotype) const;
    LogProbability prior(const Genotype& genotype) const;
    /// Root mean square over the fragments, rounded; 0 without any.
    int32_t mapping_quality() const;
    void reset(size_t allele_count, size_t copies);
    /// How much less probable than the reference the alternates are, Phred: in some copies, and in all of
    /// them (of a haploid site twice the same). 0 where they are more probable.
    std::array<int32_t, 2> reference_likelihoods() const;
    void count(size_t allele, bool reverse, uint8_t mapping_quality);
    /// Nothing where the read has no base there.
    void add_place(size_t allele, uint8_t mapping_quality, ReadPlace place);
};

/// log10 prior of a genotype of a site whose alleles have these priors.
LogProbability genotype_prior(std::span<const AllelePrior> priors, const Genotype& genotype);

/// The class of a genotype to the network, which was trained on diploid samples, by the copies of an allele:
/// 0, 1 (some copies) or 2 (all copies). One copy of one is all of them.
constexpr size_t copy_class(size_t copies, size_t ploidy) { return copies * k_max_ploidy / ploidy; }
inline constexpr size_t k_copy_classes = k_max_ploidy + 1;

/// The most probable genotype of a site, as a record states it: genotype, quality, GQ, PL, AD, DP, strand
/// counts and what is made of them, and MQ. Position, alleles, filters and rank sums are missing
/// (variants/records/record.hpp).
struct SiteGenotype {
    data::Variant record;
    std::vector<size_t>
        alleles;  ///< of the evidence: the reference, then those called; one per allele of the record
};

/// Empty if all copies of the most probable genotype have the reference, or QUAL is below
/// `minimum_quality_centi`. Where the evidence has an unobserved allele, it and the alleles that were not
/// called give unobserved_likelihoods.
std::optional<SiteGenotype> call_site(const SiteEvidence& evidence, int32_t minimum_quality_centi);

/// Of a site all of whose alleles are in the record, whatever the genotype.
SiteGenotype genotype_site(const SiteEvidence& evidence);

/// Of the reads of the alternates among `called` against those of the reference (rank_sum.hpp). Alleles are
/// those of the evidence. Of written records only: the three tests cost more than the rest of a site.
data::RankSums rank_sums_of(const SiteEvidence& evidence, std::span<const size_t> called);

inline constexpr size_t k_max_pile_up_alleles = 5;  ///< the reference, which may be N, and A, C, G, T

/// Evidence for an SNV from the pile-up at `position`, of which the sample has `ploidy` copies: base
/// qualities capped by mapping quality, overlapping mates counted once. `bases`: the alleles as base codes,
/// the reference first, at most k_max_pile_up_alleles.
void pile_up(const ReadSet& set, int64_t position, std::span<const data::Base> bases, size_t ploidy,
             int32_t minimum_base_quality, const Contamination& contamination, SiteEvidence& evidence);

}  // namespace gannet::variants
