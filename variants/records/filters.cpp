// SPDX-License-Identifier: MIT
// Provides the filters of called variants.
#include "variants/records/filters.hpp"

#include "variants/alleles/extra_copy_filter.hpp"
#include "variants/arithmetic/exact_tests.hpp"
#include "variants/model/records.hpp"

#include <algorithm>
#include <string>

namespace gannet::variants {

namespace {

// Where nearly all alternate reads are of one strand.
constexpr int32_t k_max_one_sided_bias_centi = records_number("strand_bias_one_sided_centi");
constexpr int32_t k_max_strand_bias_centi = records_number("strand_bias_centi");  // otherwise
// Of the alternate reads on the strand that has fewer.
constexpr int32_t k_one_sided_percent = records_number("one_sided_percent");
// Half of the reads of either strand have a heterozygous allele. Where so few of one strand have it, the
// reads of the other strand share an error, even if that other strand has too few reads for Fisher's test to
// show it.
constexpr int32_t k_max_absent_strand_centi = records_number("strand_bias_absent_centi");
constexpr int32_t k_min_informative_reads = records_number("low_depth_min_reads");

// A heterozygous allele in so few of the fragments is more likely an allele of another copy of the sequence
// (Phred of the binomial tail, times 100).
constexpr int32_t k_max_allele_bias_centi = records_number("allele_bias_centi");
// Errors of a place in the genome are of one strand.
constexpr int32_t k_max_one_sided_allele_bias_centi = records_number("allele_bias_one_sided_centi");
// Below k_unique_mapping_quality.
constexpr int32_t k_max_low_mapping_allele_bias_centi = records_number("allele_bias_low_mapping_centi");
constexpr int32_t k_unique_mapping_quality = records_number("allele_bias_mapping_quality");
// Aligners lose reads with long indels.
constexpr int32_t k_max_indel_allele_bias_centi = records_number("allele_bias_indel_centi");

/// Whether nearly all alternate reads are of one strand.
bool is_one_sided(const SiteStatistics& site) {
    const int32_t forward = site.strand_counts[2];
    const int32_t reverse = site.strand_counts[3];
    return std::min(forward, reverse) * 100 <= (forward + reverse) * k_one_sided_percent;
}

bool has_strand_bias(const SiteStatistics& site) {
    if (site.strand_bias_centi > (is_one_sided(site) ? k_max_one_sided_bias_centi : k_max_strand_bias_centi))
        return true;
    if (!site.has_reference_allele || !site.is_snp) return false;
    return site.systematic_error_odds > 0 ||
           (is_one_sided(site) && absent_strand_centi(site.strand_counts) > k_max_absent_strand_centi);
}

int32_t max_allele_bias_centi(const SiteStatistics& site) {
    if (!site.is_snp) return k_max_indel_allele_bias_centi;
    if (site.mapping_quality < k_unique_mapping_quality) return k_max_low_mapping_allele_bias_centi;
    return is_one_sided(site) ? k_max_one_sided_allele_bias_centi : k_max_allele_bias_centi;
}

bool has_allele_bias(const SiteStatistics& site) {
    if (!site.has_reference_allele) return false;
    if (site.is_snp && site.foreign_reads_odds > 0) return true;
    return allele_bias_centi(site, reference_depth_of(site)) > max_allele_bias_centi(site);
}

/// "10" of 1000, "10.5" of 1050.
std::string decimal_of(int32_t centi) {
    std::string text = std::to_string(centi / 100);
    if (centi % 100 != 0) {
        text += '.' + std::to_string(centi / 10 % 10);
        if (centi % 10 != 0) text += std::to_string(centi % 10);
    }
    return text;
}

std::string describe_strand_bias() {
    const std::string one_sided =
        std::to_string(k_one_sided_percent) + "% of the alternate reads on one strand";
    return "FS above " + decimal_of(k_max_one_sided_bias_centi) + " with at most " + one_sided +
           ", or FS above " + decimal_of(k_max_strand_bias_centi) + ", or a heterozygous SNV with at most " +
           one_sided + " where their binomial probability among the reads of that strand is above Phred " +
           decimal_of(k_max_absent_strand_centi) +
           ", or one that by its strands is more probably a systematic error of the sample";
}

std::string describe_allele_bias() {
    return "Heterozygous with so few alternate reads that their binomial probability is above Phred " +
           decimal_of(k_max_allele_bias_centi) + " (" + decimal_of(k_max_one_sided_allele_bias_centi) +
           " with at most " + std::to_string(k_one_sided_percent) +
           "% of the alternate reads on one strand, " + decimal_of(k_max_low_mapping_allele_bias_centi) +
           " where MQ is below " + std::to_string(k_unique_mapping_quality) + ", " +
           decimal_of(k_max_indel_allele_bias_centi) +
           " for indels, reference reads scaled down by the deleted bases), or an SNV that by the "
           "depth, alone or with others of the same fragments, is more probably of a copy that the reference "
           "lacks, or an indel of these fragments";
}

}  // namespace

uint32_t filters_of(const CallerParameters& parameters, const SiteStatistics& site, uint32_t region_filters) {
    uint32_t filters = region_filters;
    // An allele in all reads is in all copies. A haploid genotype says nothing of that: where the sample has
    // one copy more than the reference, the allele of one of the two may be called.
    const bool is_in_all_copies =
        site.is_homozygous &&
        !(site.is_haploid &&
          ExtraCopyFilter::is_partial(site.alternate_depth, site.reference_depth + site.alternate_depth));
    if (is_in_all_copies || site.extra_copy_odds < 0) filters &= ~uint32_t{data::k_filter_high_depth};
    if (site.quality_centi < parameters.minimum_quality_centi) filters |= data::k_filter_low_quality;
    if (site.depth < k_min_informative_reads) filters |= data::k_filter_low_depth;
    if (has_strand_bias(site)) filters |= data::k_filter_strand_bias;
    if (has_allele_bias(site)) filters |= data::k_filter_allele_bias;
    return filters;
}

std::vector<data::FilterDescription> describe_filters(const CallerParameters& parameters) {
    std::vector<data::FilterDescription> filters = {
        {data::k_filter_low_quality, "QUAL below " + decimal_of(parameters.minimum_quality_centi)}};
    filters.push_back({data::k_filter_low_depth,
                       "Fewer than " + std::to_string(k_min_informative_reads) + " informative reads (DP)"});
    filters.push_back({data::k_filter_strand_bias, describe_strand_bias()});
    filters.push_back({data::k_filter_high_depth, ExtraCopyFilter::description()});
    filters.push_back({data::k_filter_allele_bias, describe_allele_bias()});
    return filters;
}

}  // namespace gannet::variants
