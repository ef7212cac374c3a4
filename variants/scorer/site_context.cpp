// SPDX-License-Identifier: MIT
// Provides the context of an allele, and whether its evidence is usual.
#include "variants/scorer/site_context.hpp"

#include "data/variant.hpp"
#include "variants/model/scorer.hpp"
#include "variants/sequence/sequence_context.hpp"

namespace gannet::variants {

namespace {

constexpr int64_t k_depth_reach_bp = scorer_number("feature_depth_reach_bp");
constexpr int64_t k_far_bp = scorer_number("feature_far_bp");

/// Whether the mean depth around the position is above that of a copy more.
bool has_excess_depth(const WindowAlleles& window, int64_t position) {
    const int64_t usual = window.extra_copy.usual_depth();
    const auto [sum, bases] = window.extra_copy.depth_within(position, k_depth_reach_bp);
    return sum * 100 > usual * bases * scorer_number("hidden_copy_depth_percent");
}

}  // namespace

int32_t plain_phred(const WindowAlleles& window, const AlleleStatistics& statistics, int64_t position) {
    constexpr int32_t k_min_fragments = scorer_number("settled_min_fragments");
    // Of strands and allele fraction: one heterozygous site of twenty has more.
    constexpr int32_t k_max_bias_centi = scorer_number("settled_max_bias_centi");
    constexpr int64_t k_min_mapping_quality = scorer_number("settled_min_mapping_quality");
    constexpr int64_t k_max_settled_alleles = scorer_number("settled_max_partial_alleles");
    constexpr auto k_depth_thirds = scorer_numbers<int64_t, 2>("settled_depth_thirds");
    constexpr int64_t k_max_unused_tenths = scorer_number("settled_max_unused_tenths");
    const SiteStatistics& site = statistics.site;
    const auto phred = static_cast<int32_t>(statistics.genotype_quality_centi() / 100);
    if (site.depth < k_min_fragments || statistics.alternates != 1 || statistics.copies == 0) return 0;
    if (statistics.squared_mapping_quality < k_min_mapping_quality * k_min_mapping_quality * site.depth)
        return 0;
    if (has_excess_depth(window, position)) return 0;
    if (window.extra_copy.partial_alleles_within(position, k_far_bp) > k_max_settled_alleles) return 0;
    const int64_t usual = window.extra_copy.usual_depth();
    const int64_t here = window.evidence.depth_at(position);
    const int64_t unused = window.unused_depth[static_cast<size_t>(position - window.evidence.begin)];
    if (here * 3 > usual * k_depth_thirds[1] || here * 3 < usual * k_depth_thirds[0] ||
        unused * 10 > here * k_max_unused_tenths)
        return 0;
    if (statistics.copies == 2) return site.reference_depth == 0 ? phred : 0;
    const bool is_balanced = site.strand_bias_centi < k_max_bias_centi &&
                             statistics.allele_shortage_centi < k_max_bias_centi &&
                             statistics.allele_excess_centi < k_max_bias_centi;
    return is_balanced ? phred : 0;
}

ml::Context context_of(const WindowAlleles& window, const Allele& allele,
                       const std::vector<data::Base>& arena, uint32_t region_filters) {
    constexpr int64_t k_max_partial_alleles = scorer_number("hidden_copy_max_partial_alleles");
    const int64_t position = allele.record_position();
    if ((region_filters & data::k_filter_high_depth) != 0 || has_excess_depth(window, position) ||
        window.extra_copy.partial_alleles_within(position, k_far_bp) > k_max_partial_alleles)
        return ml::Context::hidden_copy;
    return sequence_context(window.slice, allele, arena);
}

uint8_t kind_of(const Allele& allele) {
    if (!allele.is_indel()) return allele.reference_length == 1 ? 0 : 3;
    return allele.reference_length == 0 ? 1 : allele.alternate_length == 0 ? 2 : 3;
}

}  // namespace gannet::variants
