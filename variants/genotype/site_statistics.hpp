// SPDX-License-Identifier: MIT
// Provides the integers that filters, the scorer's input and the scorer's decision are functions of.
#pragma once

#include "data/variant.hpp"
#include "variants/genotype/genotype.hpp"
#include "variants/model/records.hpp"
#include "variants/sample/foreign_reads.hpp"
#include "variants/sample/systematic_errors.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gannet::variants {

/// A called genotype and its evidence, as far as filters consider them.
struct SiteStatistics {
    bool is_snp = false;
    bool has_reference_allele = false;  ///< the genotype is 0/1
    bool is_homozygous = false;         ///< the genotype is 1/1, or 1 of a haploid site
    bool is_haploid = false;
    int32_t own_copies = 2;                                   ///< PlaceCopies
    int32_t read_bp = records_number("allele_bias_read_bp");  ///< usual length of the sample's reads
    int32_t deleted_bp = 0;       ///< of the first alternate allele; 0: no deletion
    int32_t quality_centi = 0;    ///< QUAL x 100
    int32_t depth = 0;            ///< informative fragments of all alleles
    int32_t reference_depth = 0;  ///< informative fragments of the reference
    int32_t alternate_depth = 0;  ///< and of the first alternate allele of the genotype
    int32_t second_depth = 0;     ///< and of the second one, where the genotype is 1/2
    /// Reference forward, reference reverse, alternate forward, alternate reverse.
    std::array<int32_t, 4> strand_counts{};
    int32_t strand_bias_centi = 0;    ///< Fisher's exact test of strand_counts, Phred x 100
    int32_t mapping_quality = 0;      ///< root mean square, rounded
    int32_t stutter_per_million = 0;  ///< of the indel's tandem repeat (quality_caps.hpp)
    /// log10 of the odds, x 65536, of a systematic error against a heterozygous SNV.
    int64_t systematic_error_odds = k_no_systematic_error;
    /// And of reads of a copy that the reference lacks.
    int64_t foreign_reads_odds = k_no_foreign_reads;
    /// Where a place has further copies: that one of the two alleles is only theirs (extra_copy_odds).
    int64_t extra_copy_odds = 0;
};

SiteStatistics statistics_of(const data::Variant& variant);

/// Reads that lie within deleted bases count for the reference, though none could count for the deletion
/// there: scaled down to those of a place without them.
int32_t reference_depth_of(const SiteStatistics& site);
/// allele_bias_centi of a heterozygous site, with these reference fragments: of three copies, two may have
/// the reference's allele.
int32_t allele_bias_centi(const SiteStatistics& site, int32_t reference_depth);

/// One alternate allele of a site: the caller's opinion of it before the network's.
struct AlleleStatistics {
    /// The most probable genotype of 0/1 and 1/1, with the site's other alternate alleles counted as
    /// reference.
    SiteStatistics site;
    size_t index = 1;       ///< of the allele in the site's evidence
    size_t alternates = 1;  ///< of the site
    /// log10 of the caller's posterior of each class (copy_class), x 65536, not below ml::k_min_posterior,
    /// which is also that of a class that the ploidy excludes.
    std::array<int32_t, k_copy_classes> posterior{};
    /// log10 P(reads | genotype), x 65536, of the best genotype of each class; far below the others where the
    /// ploidy excludes the class.
    std::array<int64_t, k_copy_classes> likelihood{};
    size_t copies = 0;  ///< most probable class
    int32_t allele_shortage_centi =
        0;  ///< allele_bias_centi: as few reads of the allele at a heterozygous site
    int32_t allele_excess_centi = 0;      ///< as few reads of other alleles
    int64_t squared_mapping_quality = 0;  ///< summed over the informative fragments
    int32_t rival_depth = 0;              ///< fragments of the other alternate allele that has most

    /// Phred x 100 of the second most probable number of copies.
    int64_t genotype_quality_centi() const;
};

/// log10 of the caller's posterior of the classes of an allele of the site (copy_class), x 65536, not below
/// ml::k_min_posterior.
std::array<int32_t, k_copy_classes> copies_posterior(const SiteEvidence& evidence, size_t index);

AlleleStatistics statistics_of(const SiteEvidence& evidence, size_t index, bool is_indel);

}  // namespace gannet::variants
