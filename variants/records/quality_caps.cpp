// SPDX-License-Identifier: MIT
// Provides the tables of limits of QUAL and GQ.
#include "variants/records/quality_caps.hpp"

#include "variants/arithmetic/exact_tests.hpp"

#include <algorithm>
#include <span>

namespace gannet::variants {

namespace {

/// From `value` on, calls have no higher quality than `cap`.
struct Step {
    int32_t value;
    int32_t cap;
};

/// The limits of SNVs or of indels.
struct Limits {
    QualityCaps plain;  ///< of calls that nothing speaks against
    /// Phred x 100 of the binomial probability of so few alternate reads of a heterozygous site.
    std::span<const Step> allele_bias;
    /// Minus the alternate reads. The fewer there are, the likelier is it that all have a common error: of
    /// SNVs at heterozygous sites (others have no reads against them), of indels at all sites.
    std::span<const Step> few_reads;
    std::span<const Step> mapping;  ///< 60 - MQ, times 100
};

constexpr Step k_snp_allele_bias[] = {{1300, 22}, {2000, 12}, {3000, 5}};
constexpr Step k_snp_few_reads[] = {{-3, 30}, {-2, 21}};
constexpr Step k_snp_mapping[] = {{400, 27}, {1000, 22}, {2000, 10}};
constexpr Limits k_snp = {{40, 40}, k_snp_allele_bias, k_snp_few_reads, k_snp_mapping};

constexpr Step k_indel_allele_bias[] = {{1600, 17}, {2000, 8}};
constexpr Step k_indel_few_reads[] = {{-7, 25}, {-3, 22}};
constexpr Step k_indel_mapping[] = {{400, 13}};
// Most wrong ones are other lengths of a tandem repeat.
constexpr Limits k_indel = {{31, 30}, k_indel_allele_bias, k_indel_few_reads, k_indel_mapping};

// FS x 100.
constexpr Step k_strand_bias[] = {{1600, 21}, {3000, 5}};

// Reads per million that change the length of the repeat, where the library is worse than usual.
constexpr Step k_stutter[] = {{1'000, 12}, {30'000, 8}, {100'000, 6}, {300'000, 3}};

constexpr int32_t k_best_mapping_quality = 60;

int32_t cap_of(std::span<const Step> steps, int32_t value) {
    int32_t cap = k_snp.plain.quality;
    for (const Step& step : steps) {
        if (value >= step.value) cap = step.cap;
    }
    return cap;
}

}  // namespace

int32_t stutter_per_million(const ReferenceSlice& slice, const Allele& allele,
                            const std::vector<data::Base>& arena, const GapQualityTable& gaps) {
    if (!allele.is_indel() || !has_much_stutter(gaps)) return 0;
    const RepeatContext repeat = repeat_of(slice, allele, arena);
    const auto period = static_cast<size_t>(repeat.period);
    if (period == 0 || period > GapCounts::k_max_period) return 0;
    const int64_t length = int64_t{repeat.period} * repeat.copies;
    if (!has_much_stutter(gaps, length, period)) return 0;
    return static_cast<int32_t>(
        std::min<uint64_t>(stutter_per_billion(gaps, length, period) / 1000, 1'000'000));
}

QualityCaps quality_caps(const SiteStatistics& site) {
    const Limits& limits = site.is_snp ? k_snp : k_indel;
    int32_t context = cap_of(k_strand_bias, site.strand_bias_centi);
    const auto lower = [&](std::span<const Step> steps, int32_t value) {
        context = std::min(context, cap_of(steps, value));
    };
    if (site.has_reference_allele)
        lower(limits.allele_bias, allele_bias_centi(site.reference_depth, site.alternate_depth));
    if (site.has_reference_allele || !site.is_snp) lower(limits.few_reads, -site.alternate_depth);
    lower(limits.mapping, (k_best_mapping_quality - site.mapping_quality) * 100);
    lower(k_stutter, site.stutter_per_million);
    if (site.has_reference_allele && site.is_snp) {
        const int64_t odds = site.systematic_error_odds;
        const int64_t phred = phred_centi(odds - log_add<int64_t>(odds, 0)) / 100;
        context = static_cast<int32_t>(std::min<int64_t>(phred, context));
    }
    return {std::min(limits.plain.quality, context), std::min(limits.plain.genotype_quality, context)};
}

void cap_qualities(const SiteStatistics& site, int32_t minimum_quality_centi, data::Variant& variant) {
    const QualityCaps caps = quality_caps(site);
    variant.uncapped_quality_centi = variant.quality_centi;
    variant.quality_centi =
        std::min(variant.quality_centi, std::max(caps.quality * 100, minimum_quality_centi));
    variant.genotype_quality = std::min(variant.genotype_quality, caps.genotype_quality);
}

}  // namespace gannet::variants
