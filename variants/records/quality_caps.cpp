// SPDX-License-Identifier: MIT
// Provides the tables of limits of QUAL and GQ.
#include "variants/records/quality_caps.hpp"

#include "variants/arithmetic/exact_tests.hpp"
#include "variants/model/records.hpp"

#include <algorithm>
#include <array>
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

/// Steps of a row: value, cap, value, cap, ...
template <size_t n>
constexpr std::array<Step, n / 2> steps(const std::array<int32_t, n>& numbers) {
    std::array<Step, n / 2> out{};
    for (size_t i = 0; i < out.size(); ++i) out[i] = {numbers[2 * i], numbers[2 * i + 1]};
    return out;
}
constexpr QualityCaps caps(const std::array<int32_t, 2>& numbers) { return {numbers[0], numbers[1]}; }

constexpr auto k_snp_allele_bias = steps(records_numbers<int32_t, 6>("cap_snp_allele_bias"));
constexpr auto k_snp_few_reads = steps(records_numbers<int32_t, 4>("cap_snp_few_reads"));
constexpr auto k_snp_mapping = steps(records_numbers<int32_t, 6>("cap_snp_mapping"));
constexpr Limits k_snp = {caps(records_numbers<int32_t, 2>("cap_snp")), k_snp_allele_bias, k_snp_few_reads,
                          k_snp_mapping};

constexpr auto k_indel_allele_bias = steps(records_numbers<int32_t, 4>("cap_indel_allele_bias"));
constexpr auto k_indel_few_reads = steps(records_numbers<int32_t, 4>("cap_indel_few_reads"));
constexpr auto k_indel_mapping = steps(records_numbers<int32_t, 2>("cap_indel_mapping"));
// Most wrong ones are other lengths of a tandem repeat.
constexpr Limits k_indel = {caps(records_numbers<int32_t, 2>("cap_indel")), k_indel_allele_bias,
                            k_indel_few_reads, k_indel_mapping};

// FS x 100.
constexpr auto k_strand_bias = steps(records_numbers<int32_t, 4>("cap_strand_bias"));

// Reads per million that change the length of the repeat, where the library is worse than usual.
constexpr auto k_stutter = steps(records_numbers<int32_t, 12>("cap_stutter"));

constexpr int32_t k_best_mapping_quality = records_number("cap_best_mapping_quality");

int32_t cap_of(std::span<const Step> steps, int32_t value) {
    int32_t cap = k_snp.plain.quality;
    for (const Step& step : steps) {
        if (value >= step.value) cap = step.cap;
    }
    return cap;
}

}  // namespace

QualityCaps quality_caps(const SiteStatistics& site) {
    const Limits& limits = site.is_snp ? k_snp : k_indel;
    int32_t context = cap_of(k_strand_bias, site.strand_bias_centi);
    const auto lower = [&](std::span<const Step> steps, int32_t value) {
        context = std::min(context, cap_of(steps, value));
    };
    if (site.has_reference_allele)
        lower(limits.allele_bias, allele_bias_centi(site, reference_depth_of(site)));
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
