// SPDX-License-Identifier: MIT
// Provides the tables of limits of QUAL and GQ.
#include "variants/quality_caps.hpp"

#include "variants/exact_tests.hpp"

#include <algorithm>
#include <span>

namespace gannet::variants {

namespace {

// Of calls that nothing speaks against.
constexpr QualityCaps k_snp_caps = {40, 40};
constexpr QualityCaps k_indel_caps = {31, 30};  // most wrong ones are other lengths of a tandem repeat

/// From `value_centi` on, calls have no higher quality than `cap`.
struct Step {
    int32_t value_centi;
    int32_t cap;
};
// Phred of the binomial probability of so few alternate reads of a heterozygous site.
constexpr Step k_snp_allele_bias[] = {{1300, 22}, {2000, 12}, {3000, 5}};
constexpr Step k_indel_allele_bias[] = {{1600, 17}, {2000, 8}};
// FS.
constexpr Step k_strand_bias[] = {{1600, 21}, {3000, 5}};
// 60 - MQ, times 100.
constexpr Step k_snp_mapping[] = {{400, 27}, {1000, 22}, {2000, 10}};
constexpr Step k_indel_mapping[] = {{400, 13}};

constexpr int32_t k_best_mapping_quality = 60;

int32_t cap_of(std::span<const Step> steps, int32_t value_centi) {
    int32_t cap = k_snp_caps.quality;
    for (const Step& step : steps) {
        if (value_centi >= step.value_centi) cap = step.cap;
    }
    return cap;
}

}  // namespace

QualityCaps quality_caps(const SiteStatistics& site) {
    int32_t context = cap_of(k_strand_bias, site.strand_bias_centi);
    if (site.has_reference_allele) {
        context = std::min(context, cap_of(site.is_snp ? std::span<const Step>(k_snp_allele_bias)
                                                       : std::span<const Step>(k_indel_allele_bias),
                                           allele_bias_centi(site.reference_depth, site.alternate_depth)));
    }
    context = std::min(context, cap_of(site.is_snp ? std::span<const Step>(k_snp_mapping)
                                                   : std::span<const Step>(k_indel_mapping),
                                       (k_best_mapping_quality - site.mapping_quality) * 100));
    const QualityCaps& kind = site.is_snp ? k_snp_caps : k_indel_caps;
    return {std::min(kind.quality, context), std::min(kind.genotype_quality, context)};
}

void cap_qualities(const SiteStatistics& site, int32_t minimum_quality_centi, data::Variant& variant) {
    const QualityCaps caps = quality_caps(site);
    variant.uncapped_quality_centi = variant.quality_centi;
    variant.quality_centi =
        std::min(variant.quality_centi, std::max(caps.quality * 100, minimum_quality_centi));
    variant.genotype_quality = std::min(variant.genotype_quality, caps.genotype_quality);
}

}  // namespace gannet::variants
